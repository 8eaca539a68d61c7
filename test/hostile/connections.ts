import { assert } from "vitest"
import { ownerKey } from "#test/service.ts"
import { type Attack, answered, close, deaf, searchedBeside, times } from "./Attack.ts"

const authorization = `Authorization: Bearer ${ownerKey}\r\n`

export const connections: ReadonlyArray<Attack> = [
  {
    name: "200 bodies that never end",
    share: 2,
    run: async (target) => {
      const head = `POST /api/retrieve/search HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"task":"`
      const sockets = await times(200, () => deaf(target, head))
      await searchedBeside(target, sockets)
    }
  },
  {
    name: "500 heads that never end",
    run: async (target) => {
      const sockets = await times(500, () => deaf(target, "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "))
      await searchedBeside(target, sockets)
    }
  },
  {
    name: "a hundred half-sent chunks of 300 KiB",
    run: async (target) => {
      const head = `POST /api/store/execution-result HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n4b000\r\n`
      const sockets = await times(100, async () => {
        const socket = await deaf(target, head)
        socket.write("a".repeat(300 * 1024))
        return socket
      })
      await searchedBeside(target, sockets)
    }
  },
  {
    name: "requests that are no HTTP",
    share: 2,
    run: async (target) => {
      await times(100, async (n) => {
        const socket = await target.socket()
        socket.write(n % 2 ? "\u0000\u0001\u0002".repeat(30_000) : "GET / HTTP/9.9\r\n\r\n")
        socket.resume()
        // it is refused or cut
        if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve))
      })
    }
  },
  {
    name: "answers that nobody reads: 50 times all events",
    share: 2,
    run: async (target) => {
      const request = `GET /api/events?limit=1000 HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n`
      const sockets = await times(50, () => deaf(target, request.repeat(10)))
      await searchedBeside(target, sockets)
    }
  },
  {
    name: "50 event streams that nobody reads, from the beginning, and writes beside them",
    share: 2,
    run: async (target) => {
      const request = `GET /api/events/stream?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n`
      const sockets = await times(50, () => deaf(target, request))
      await times(100, async (n) => {
        answered(
          await target.call("POST", "/api/store/execution-result", {
            task: `t${n}`,
            succeeded: true,
            use_service_ai_voting: false,
            file_written: { path: `s${n}.py`, content: `def s${n}():\n    return ${n}\n` }
          }),
          200
        )
      })
      close(sockets)
    }
  },
  {
    name: "four half-sent fetches, and a clone beside them",
    run: async (target) => {
      await target.chat("cloned", [[{ name: "Write", input: { file_path: "a.txt", content: "a" } }]])
      const { workspaces } = answered(await target.call("GET", "/api/workspaces"), 200)
      const id = workspaces.find(({ user_id }: { user_id: string }) => user_id === "cloned").workspace_id
      const head = `POST /git/${id}.git/git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/x-git-upload-pack-request\r\nContent-Length: 100000\r\n\r\n0011command=ls-refs`
      const sockets = await times(16, () => deaf(target, head))
      const answer = await target.call("GET", `/git/${id}.git/info/refs?service=git-upload-pack`)
      assert.strictEqual(answer.status, 200, answer.text.slice(0, 200))
      close(sockets)
    }
  },
  {
    name: "forty fetches of eight megabytes of which the last byte is not sent",
    run: async (target) => {
      const { workspaces } = answered(await target.call("GET", "/api/workspaces"), 200)
      const bytes = 8 * 1024 * 1024
      const head = `POST /git/${workspaces[0].workspace_id}.git/git-upload-pack HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}Content-Type: application/x-git-upload-pack-request\r\nContent-Length: ${bytes}\r\n\r\n`
      const sockets = await times(40, () => deaf(target, head + "0".repeat(bytes - 1)))
      await searchedBeside(target, sockets)
    }
  },
  {
    name: "fetches that ask for everything and for nothing that is there",
    run: async (target) => {
      const { workspaces } = answered(await target.call("GET", "/api/workspaces"), 200)
      const id = workspaces[0].workspace_id
      const type = { "content-type": "application/x-git-upload-pack-request" }
      const wants = `0032want ${"a".repeat(40)}\n`.repeat(100_000)
      for (const body of [wants, `${wants}0000`, "ffff".repeat(200_000), "0000".repeat(500_000)]) {
        const { status } = await target.call("POST", `/git/${id}.git/git-upload-pack`, body, type)
        assert.isTrue(status < 500 || status === 503, String(status))
      }
    }
  },
  {
    name: "a thousand requests on one connection, unread",
    share: 4,
    run: async (target) => {
      const request = `GET /skill.md HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
      const socket = await deaf(target, request.repeat(1_000))
      await searchedBeside(target, [socket])
    }
  },
  {
    name: "an organization of 2,000 keys, and a start with it",
    arrange: async (target) => {
      for (let n = 0; n < 2_000; n += 100) {
        await times(100, async (m) => {
          const body = { email: `u${(n + m) % 50}@example.org`, key_name: `k${n + m}` }
          answered(await target.call("POST", "/api/keys/org/create", body), 200)
        })
      }
    },
    run: async (target) => {
      await target.restart()
      const { keys } = answered(await target.call("POST", "/api/keys/org/list"), 200)
      assert.isAbove(keys.length, 0)
      answered(
        await target.call("POST", "/api/keys/org/create", { email: "u1@example.org", key_name: "one more" }),
        200
      )
    }
  }
]
