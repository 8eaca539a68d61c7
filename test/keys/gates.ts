/**
 * Gates before each write that the erasure of an organization makes: events, and how far those are that follow them.
 */
export const erasing = (
  organization: string,
  followers: ReadonlyArray<"reactions" | "read_models">
): ReadonlyArray<string> => {
  const begun = `(SELECT position FROM events WHERE type = 'OrganizationErased' AND tenant = '${organization}')`
  const about = `(tenant = '${organization}' OR data LIKE '%${organization}%')`
  return [
    `CREATE FUNCTION gates.event() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE begun bigint := ${begun}; BEGIN
      IF begun IS NULL AND NEW.type <> 'OrganizationErased' THEN RETURN NEW; END IF;
      IF NEW.tenant = '${organization}' OR NEW.data LIKE '%${organization}%' THEN
        PERFORM gates.wait_for('event ' || (SELECT count(*) FROM events WHERE position >= begun AND ${about}));
      END IF;
      RETURN NEW;
    END $$`,
    "CREATE TRIGGER gate BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION gates.event()",
    `CREATE FUNCTION gates.place() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.position >= ${begun} AND NEW.position > OLD.position THEN
        PERFORM gates.wait_for(TG_TABLE_NAME || ' ' || NEW.name);
      END IF;
      RETURN NEW;
    END $$`,
    ...followers.map(
      (table) => `CREATE TRIGGER gate BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION gates.place()`
    )
  ]
}

/** Finds a row when the erasure has ended, and all that follows from it. */
export const isOver = (organization: string): string =>
  `SELECT FROM events WHERE type = 'OrganizationErasureEnded' AND tenant = '${organization}'
     AND NOT EXISTS (SELECT FROM reactions
       WHERE reactions.position < (SELECT max(position) FROM events) AND name NOT LIKE 'retention%')`
