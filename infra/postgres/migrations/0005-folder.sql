-- The folder of repositories that belongs to this database: the id that its file `.installation` has. Null until a service has
-- started on both.
ALTER TABLE installation ADD COLUMN folder text;
