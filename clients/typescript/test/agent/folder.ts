/** A program whose session has a cache folder at its end. */
import { CacheFolder } from "../../src/agent/offer.ts"

process.stdout.write(await new CacheFolder(undefined).make())
