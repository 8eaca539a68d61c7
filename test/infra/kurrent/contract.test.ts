import { contract } from "../../engine/EventStore.contract.ts"
import { storeOnDouble } from "../../kurrent/stores.ts"

contract("KurrentDB, a double of its protocol", storeOnDouble)
