/**
 * One file a language in which every local name is written `«name»`, so that a test can give it another, and every
 * blank line is a place where comments may come in.
 */
export interface Sample {
  readonly path: string
  readonly source: string
  readonly comment: string
  /** Each changes what the code does: a text of the source, and what to put there. */
  readonly changes: ReadonlyArray<readonly [string, string]>
  /** Names of its functions. */
  readonly functions: ReadonlyArray<string>
}

const python = `import csv
import functools


@functools.cache
async def load(«path», «limit»=10, *«rest», sep: str = ",", **«options»):
    """Reads rows."""
    global counter
    counter = counter + 1
    «rows» = []
    with open(«path»,
              encoding="utf-8") as «handle»:
        for «number», «row» in enumerate(csv.reader(«handle», delimiter=sep)):
            if «number» >= «limit»:
                break
            «rows».append({"id": «row»[0], 'size': len(«row»)})
    try:
        «total» = sum(«item»["size"] for «item» in «rows» if «item»)
    except (ValueError, KeyError) as «error»:
        raise RuntimeError(f"bad {«path»!r} {«error»}") from «error»
    match «rows»:
        case [«first», *«others»] if «first»:
            print(«first».name, «others», end="")
        case {"key": «value»}:
            print(«value»)
    def «inner»(«a», «b»=1):
        nonlocal «total»
        «total» += «a»
        return [«x» for «x» in «b» if «x» > 0]
    return load(«path»), «inner», lambda «y»: «y» + 1, «rest», «options», path_of(«total»)


class Stack(Base):
    """Keeps things."""
    def push(self, «thing»):
        self.things.append(«thing»)
        if («size» := len(self.things)) > 3:
            return «size»
        return elsewhere(self)


double = lambda «n»: «n» * 2
`

const ecma = `import { readFile } from "node:fs/promises"

export async function load(«path», { size, deep: { own: «inner» = 3 }, ...«others» }, [«first», «second» = 2], ...«rest») {
  const «rows» = [], «text» = await readFile(«path», 'utf-8')
  for (const «line» of «text».split("\\n")) {
    if (!«line») continue
    «rows».push({ line: «line», size: «inner», "quoted": «first» })
  }
  for (let «i» = 0; «i» < 10; «i»++) { «rows»[«i»] ??= load(«i») }
  try {
    await other(«rows», («row», «at») => «row».size + «at» + size)
  } catch («error») {
    throw new Error(\`bad \${«path»} \${«error».message}\`, { cause: «error» })
  }
  switch («second») {
    case 1: {
      var «late» = 1
      break
    }
    default:
      return «second» ? «late» : «rest»
  }
  function «nested»(«value») { return «value» in «others» ? «nested»(«value») : elsewhere }
  return { size: «nested», load, answer: 42 }
}

export class Stack {
  push(«thing») {
    this.things.push(«thing»)
    return elsewhere?.size ?? this.push(«thing»)
  }
  pop = («count») => this.things.splice(-«count»)
}

const twice = «n» => «n» * 2
`

const typescript = `type Row = { id: string; size: number }

export function load<T extends Row>(this: Row, «path»: string, «limit»?: number, { id: «id», size: «s» = 1 }: Row = fallback): Promise<T[]> {
  const «rows»: Array<Row> = read(«path» as string)!
  const «pick» = («row»: Row): «row» is T => «row».size > («limit» ?? 10) && «row» satisfies Row
  enum Kind { small = 1 }
  return Promise.all(«rows».filter(«pick»).map(async ({ uid }) => ({ uid, size: «id», s: «s», kind: Kind.small })))
}

export class Stack<T> {
  private readonly things: T[] = []
  constructor(private name: string, «size»: number) { this.reset(«size») }
  public push(«thing»: T): number {
    return this.things.push(«thing»)
  }
}

export default function («value»: unknown) { return «value» }
`

const go = `package files

import "fmt"

func (s *Store) Load(«path» string, «limit» int, «rest» ...string) («count» int, «err» error) {
	«rows», «err» := s.read(«path»)
	var «total», «most» int = 1, «limit»
	for «i», «row» := range «rows» {
		if «size» := len(«row»); «size» > «most» {
			«total» += «size» * «i»
		}
	}
	for «at» := 0; «at» < 10; «at»++ {
		«rows»[«at»] = fmt.Sprintf("%d", «at»)
	}
	switch «kind» := any(«rows»).(type) {
	case string:
		return use(«kind»), nil
	}
	select {
	case «message» := <-s.channel:
		return «message», «err»
	}
	«total» = func(«n» int) int { return «n» + elsewhere }(«total»)
	return s.Load(«path», Options{path: «path», Limit: «total»}.Limit, «rest»...)
}

func Double(«n» int) int { return «n» * 2 }
`

const ruby = `require "csv"

class Store < Base
  def load(«path», «limit» = 10, *«rest», key: nil, **«options», &«block»)
    «rows», («first», *«others») = read(«path»), [1, 2]
    «count» = 0
    «rows».each do |«row», («left», «right»), «size» = 1|
      next if «row».nil?
      «count» += «row».size + «size» + @offset + «left» + «right»
    end
    begin
      check «first»
    rescue ArgumentError => «error»
      raise "bad #{«path»} #{«error».message}"
    end
    for «one» in «others»
      puts one(«one»)
    end
    case «rest»
    in { id: «id», tags: [«tag»] }
      return «id», «tag»
    end
    «double» = ->(«n») { «n» * 2 }
    load(«path», key: key, limit: «limit») + elsewhere + «double».call(«count») + «block».call(«options»)
  end

  private def self.twice(«n») = «n» * 2
end
`

const java = `package files;

import java.util.List;

public class Store {
  public Store(int «size») { this.size = «size»; reset(«size»); }

  @Override
  public synchronized <T> int load(final String «path», int «limit», String... «rest») throws IOException {
    int «count» = 0, «most» = limit(«limit»);
    for (String «row» : read(«path»)) {
      if (elsewhere.isEmpty()) continue;
      «count» += «row».length() + this.count;
    }
    for (int «i» = 0; «i» < 10; «i»++) { «count»--; }
    try (Reader «reader» = open(«path»)) {
      use(«reader», («a», «b») -> «a» + «b», «x» -> «x» * «most», String::valueOf);
    } catch (IOException | RuntimeException «error») {
      throw new IllegalStateException("bad " + «path», «error»);
    }
    if (thing instanceof Foo «foo» && «foo».size() > 0) return «foo».count;
    return switch («rest».length) { case 0 -> load(«path», 1); default -> «count»; };
  }
}
`

const rust = `use std::fs;

pub struct Store { size: usize }

impl Store {
    #[inline]
    pub fn load<'a, T: Clone>(&'a self, mut «path»: String, («left», «right»): (i32, i32), «limit»: usize) -> Option<T> {
        let Some(«text») = fs::read(&«path»).ok() else { return None };
        let «limit» = «limit» + 1;
        let Point { x: «px», y: «py», .. } = Point { x: «left», y: «right» };
        if let Ok(«number») = «text».parse() && «number» > 3 { println!("{} {}", «number», «limit»); }
        match self.size {
            «n» @ 1..=9 | «n» if «n» > «px» => log(«n»),
            0 => log(LIMIT),
            «other» => { debug!("{:?}", «other».size()) }
        }
        for («at», «value») in «text».iter().enumerate() { self.push(«at», «value») }
        let «sum» = |«a», «b»: i32| «a» + «b»;
        while let Some(«top») = self.pop() { drop(«top») }
        self.load(«path», («py», «sum»(1, 2)), elsewhere)
    }
}

fn double(«n»: i32) -> i32 { «n» * 2 }
`

export const samples: { readonly [language: string]: Sample } = {
  python: {
    path: "a.py",
    source: python,
    comment: "#",
    functions: ["load", "Stack.push", "double"],
    changes: [
      ["enumerate", "reversed"],
      ["=10", "=11"],
      [">=", ">"],
      ['"utf-8"', '"latin-1"'],
      ["ValueError", "TypeError"],
      ["@functools.cache", "@functools.lru_cache"],
      ["path_of", "path_off"],
      ['["size"]', '["sizes"]'],
      ["        nonlocal «total»\n", ""],
      ["things.append", "things.insert"],
      ["self.things)) >", "self.thing)) >"],
      ["«n» * 2", "«n» * 3"],
      ["return «size»", "return «thing»"],
      ["delimiter=sep", "delimiter=«limit»"]
    ]
  },
  javascript: {
    path: "a.js",
    source: ecma,
    comment: "//",
    functions: ["load", "Stack.push", "Stack.pop", "twice"],
    changes: [
      ["size, deep", "sizes, deep"],
      ["readFile(«path», 'utf-8')", "readFile(«path», 'latin1')"],
      ["!«line»", "«line»"],
      ["«i» < 10", "«i» <= 10"],
      ["deep:", "deeper:"],
      ["await other", "other"],
      ["bad ", "worse "],
      ["answer: 42", "answer: 43"],
      ["elsewhere?.size", "elsewhere.size"],
      ["-«count»", "«count»"],
      ["«n» * 2", "«n» / 2"],
      [": elsewhere }", ": «nested» }"]
    ]
  },
  typescript: {
    path: "a.ts",
    source: typescript,
    comment: "//",
    functions: ["load", "Stack.constructor", "Stack.push", "default"],
    changes: [
      ["?? 10", "?? 11"],
      ["(«limit» ?? 10)", "(«limit» || 10)"],
      ["read(", "reads("],
      ["small = 1", "small = 2"],
      ["size: «id»", "sizes: «id»"],
      ["things.push", "things.unshift"],
      ["return «value»", "return !«value»"],
      ["«limit»?: number", "«limit»?: string"]
    ]
  },
  go: {
    path: "a.go",
    source: go,
    comment: "//",
    functions: ["Store.Load", "Double"],
    changes: [
      ["s.read", "s.write"],
      ["+= «size»", "-= «size»"],
      ['"%d"', '"%x"'],
      ["path: «path»", "paths: «path»"],
      ["+ elsewhere", "+ «total»"],
      ["use(«kind»), nil", "use(«kind»), «err»"],
      ["«n» * 2", "«n» * 4"]
    ]
  },
  ruby: {
    path: "a.rb",
    source: ruby,
    comment: "#",
    functions: ["Store.load", "Store.twice"],
    changes: [
      ["= 10", "= 11"],
      ["nil?", "empty?"],
      ["@offset", "@offsets"],
      ["ArgumentError", "KeyError"],
      ["puts one", "print one"],
      ["id: «id»", "key: «id»"],
      ["+ elsewhere", "+ «rows»"],
      ["«n» * 2 }", "«n» * 3 }"],
      [") = «n» * 2", ") = «n» + 2"]
    ]
  },
  java: {
    path: "A.java",
    source: java,
    comment: "//",
    functions: ["Store.Store", "Store.load"],
    changes: [
      ["= 0, ", "= 1, "],
      ["limit(«limit»)", "limits(«limit»)"],
      ["elsewhere.isEmpty", "«row».isEmpty"],
      ["this.count", "this.counts"],
      ["RuntimeException", "Error"],
      ["synchronized ", ""],
      ["@Override", "@Deprecated"],
      ["reset(«size»)", "reset(other)"],
      ["String::valueOf", "String::new"]
    ]
  },
  rust: {
    path: "a.rs",
    source: rust,
    comment: "//",
    functions: ["Store.load", "double"],
    changes: [
      ["fs::read", "fs::read_dir"],
      ["«limit» + 1", "«limit» + 2"],
      ["x: «px»", "z: «px»"],
      ['"{} {}"', '"{}-{}"'],
      ["log(LIMIT)", "log(MOST)"],
      ["#[inline]", "#[cold]"],
      ["self.push", "self.pull"],
      ["«sum»(1, 2)), elsewhere", "«sum»(1, 2)), «text»"],
      ["«n» * 2", "«n» * 8"]
    ]
  }
}

/** The source with each marked name replaced. */
export const named = (source: string, name: (local: string) => string = (local) => local): string =>
  source.replace(/«([^»]*)»/g, (_, local: string) => name(local))
