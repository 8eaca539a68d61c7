-- What followed from a request: few events do, and only these are in it. The request's own are found by their ids.
CREATE INDEX events_caused ON events (correlation_id) WHERE correlation_id <> command_id;
