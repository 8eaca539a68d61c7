import { connectTo } from "#test/postgres.ts"
import type { TestInstallation } from "#test/service.ts"

/** Where writes to a database wait until somebody lets them go on, each once: there processes are killed. */
export interface Gates {
  /** The steps that wait now. */
  readonly waiting: () => Promise<ReadonlyArray<string>>
  /**
   * Of processes that were killed: what waits is lost or written, and does not wait again. Ends when nobody else is on
   * the database any more.
   */
  readonly open: (steps: ReadonlyArray<string>, how: "lost" | "written") => Promise<void>
  readonly query: (statement: string) => Promise<ReadonlyArray<object>>
  /** Takes them away. */
  readonly close: () => Promise<void>
}

const lock = 961_611

/** Statements that put `gates.write()` before writes to tables as soon as these are made, for each row or statement. */
export const whereMade = (tables: ReadonlyArray<string>, each: "ROW" | "STATEMENT"): ReadonlyArray<string> => [
  `CREATE FUNCTION gates.made() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE made record; BEGIN
    FOR made IN SELECT c.relname FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid
      WHERE d.command_tag = 'CREATE TABLE' AND d.schema_name = 'public' AND c.relname = ANY ('{${tables.join()}}')
    LOOP
      EXECUTE format('CREATE TRIGGER gate BEFORE INSERT OR UPDATE ON %I FOR EACH ${each} EXECUTE FUNCTION gates.write()',
        made.relname);
    END LOOP;
  END $$`,
  "CREATE EVENT TRIGGER made ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION gates.made()"
]

/**
 * Makes gates. `statements` put them where writes are to wait, by `gates.wait_for('the step')` in triggers; what they
 * make is in the schema `gates`, and goes with it. Steps whose name `only`, a regular expression, does not match wait
 * for nobody.
 */
export const gatesOn = async (
  installation: TestInstallation,
  statements: ReadonlyArray<string>,
  only = ""
): Promise<Gates> => {
  const { query, close } = await connectTo(installation)
  const sessions = (condition: string) =>
    query(`SELECT pid, application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${condition}`)
  const atGates = () =>
    sessions("application_name LIKE 'waits: %' AND wait_event_type = 'Lock' AND wait_event = 'advisory'")
  await query("CREATE SCHEMA gates")
  await query("CREATE TABLE gates.opened (step text PRIMARY KEY)")
  await query(`CREATE FUNCTION gates.wait_for(step text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF step !~ '${only}' THEN RETURN; END IF;
    IF EXISTS (SELECT FROM gates.opened WHERE opened.step = wait_for.step) THEN RETURN; END IF;
    PERFORM set_config('application_name', 'waits: ' || step, false);
    PERFORM pg_advisory_xact_lock_shared(${lock});
  END $$`)
  for (const statement of statements) await query(statement)
  await query(`SELECT pg_advisory_lock(${lock})`)
  return {
    query,
    waiting: async () => (await atGates()).map(({ name }) => String(name).slice("waits: ".length)),
    open: async (steps, how) => {
      // several may wait at one step, as those who make read models do
      for (const step of new Set(steps)) await query(`INSERT INTO gates.opened VALUES ('${step}')`)
      if (how === "lost") for (const { pid } of await atGates()) await query(`SELECT pg_terminate_backend(${pid})`)
      await query(`SELECT pg_advisory_unlock(${lock})`)
      while ((await sessions("backend_type = 'client backend'")).length > 0) await query("SELECT pg_sleep(0.01)")
      await query(`SELECT pg_advisory_lock(${lock})`)
    },
    close: async () => {
      await query(`SELECT pg_advisory_unlock(${lock})`)
      await query("DROP SCHEMA gates CASCADE")
      await close()
    }
  }
}
