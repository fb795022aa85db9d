import { Children, type ComponentProps, isValidElement, type ReactElement, type ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { readConsole } from './console.ts'
import { type Code, GuideCode } from './guide-code.tsx'
import { anchorOf, hrefOf } from './guides.ts'
import { nodeProgram, pythonProgram, readRequest } from './request.ts'

const elements = {
  a: GuideLink,
  code: (props: ComponentProps<'code'>) => <code {...props}>{ofThisInstallation(props.children)}</code>,
  h2: (props: ComponentProps<'h2'>) => <h2 id={anchorOf(String(props.children))} {...props} />,
  h3: (props: ComponentProps<'h3'>) => <h3 id={anchorOf(String(props.children))} {...props} />,
  pre: Fence,
  Programs,
}

/** Maps the elements of guides to components; Next requires this name. */
export const useMDXComponents = () => elements

/** Shows a link; to pages of this site it opens without a reload. */
function GuideLink({ href = '', ...props }: ComponentProps<'a'>) {
  const target = hrefOf(href)
  return target.startsWith('/docs') ? <Link href={target} {...props} /> : <a href={target} {...props} />
}

const languages: Record<string, string> = {
  sh: 'Shell',
  console: 'Shell',
  js: 'Node.js',
  python: 'Python',
  http: 'HTTP',
  formula: 'Formula',
  m: 'Power Query M',
  address: 'Address',
}
const endings: Record<string, string> = { js: 'mjs', python: 'py' }

interface FenceProps {
  children?: ReactNode
}

/** Returns the code of a fenced block; in a console block, the text after the command is its response. */
function codeOf({ children }: FenceProps, name?: string): Code {
  const { className = '', children: content } = (
    children as ReactElement<{ className?: string; children?: ReactNode }>
  ).props
  const language = className.replace('language-', '')
  const text = String(ofThisInstallation(content)).trimEnd()
  return {
    language: languages[language] ?? language,
    ...(name !== undefined && language in endings && { caption: `${name}.${endings[language]}` }),
    ...(language === 'console' ? readConsole(text) : { text }),
  }
}

/** Shows a fenced block with its copy button; a plain request also in other languages. */
function Fence(props: FenceProps) {
  const code = codeOf(props)
  const request = readRequest(code.text)
  if (request === undefined) return <GuideCode codes={[code]} />
  return (
    <GuideCode
      codes={[
        { ...code, language: 'curl' },
        { ...code, language: 'Node.js', text: nodeProgram(request) },
        { ...code, language: 'Python', text: pythonProgram(request) },
      ]}
    />
  )
}

/** Shows fenced blocks that do the same as tabs; `name` is that of the file to save a program as. */
function Programs({ name, children }: { name: string; children?: ReactNode }) {
  const codes = Children.toArray(children)
    .filter((child) => isValidElement<FenceProps>(child))
    .map(({ props }) => codeOf(props, name))
    .map((code) => (code.language === languages['console'] ? { ...code, language: 'curl' } : code))
  return <GuideCode codes={codes as [Code, ...Code[]]} />
}

/** Replaces the example URL of the guides with this installation's. */
const ofThisInstallation = (children: ReactNode) =>
  typeof children === 'string'
    ? children.replaceAll('https://deals.example.com', sharedServices().config.publicUrl)
    : children
