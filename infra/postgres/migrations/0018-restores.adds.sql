-- Of a restored backup whose log is whole: the organizations and workspaces that were erased after it was made, and up to
-- when that is known. They are to be erased again before anything is served: until then `finished_at` is null, so that
-- older releases, which don't look at this, serve nothing either.
ALTER TABLE log_copy ADD COLUMN erasing json;
