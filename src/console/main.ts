import { render } from "preact"
import { html } from "./html.ts"
import { listen } from "./router.ts"
import { resume } from "./session.ts"
import { keepFocus } from "./shell/focus.ts"
import { heedLink } from "./shell/link.ts"
import { Shell } from "./shell/Shell.ts"
import { beginTheme } from "./theme.ts"

heedLink()
beginTheme()
listen()
keepFocus()
void resume()
render(html`<${Shell} />`, document.getElementById("console")!)
