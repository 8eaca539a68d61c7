-- Rows of requests are not dropped by time any more (decision 47): the last one of each digest stays. Those that were dropped come
-- back from the log, which is read from its beginning under another checkpoint.
DELETE FROM requests r USING requests l WHERE l.digest = r.digest AND l.n > r.n;
DROP INDEX requests_recorded_at;
DELETE FROM reactions WHERE name = 'requests';
