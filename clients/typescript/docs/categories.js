import { Comment, CommentTag, Converter, ReflectionKind } from "typedoc"

/** What a file's names are about; the first that fits. An entry has too many of them to be one list. */
const subjects = [
  [/src\/(agent\/functions\/|compat\/accessible)/, "Functions for agents"],
  [/src\/(agent\/|compat\/session)/, "Agent sessions"],
  [/src\/compat\//, "Client"],
  [/src\/errors/, "Errors"],
  [/src\/(eventStream\/|resources\/(key|users|events|usage|bounds|backup))/, "Administration"],
  [/src\/resources\/(chat|workspace|commits)/, "Workspaces"],
  [/src\/resources\/(executions|reviews|patterns|logs|functions)/, "Runs and what is learned"],
  [/src\/resources\/system/, "The service itself"],
  [/src\/(resources\/|codeFiles\/|enumerations)/, "Snippets"],
  [/src\//, "Client"]
]

/** A plugin of typedoc: puts each name under its subject, which its file tells. */
export const load = (app) => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      if (!reflection.parent?.kindOf(ReflectionKind.SomeModule) || reflection.kindOf(ReflectionKind.SomeModule))
        continue
      // another name of something is about the same
      const named = reflection.isReference() ? reflection.getTargetReflectionDeep() : reflection
      const file = project.getSymbolIdFromReflection(named)?.fileName.replaceAll("\\", "/") ?? ""
      const subject = subjects.find(([path]) => path.test(file))?.[1]
      if (subject === undefined) continue
      reflection.comment ??= new Comment()
      reflection.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: subject }]))
    }
  })
}
