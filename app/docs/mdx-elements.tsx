import { Children, type ComponentProps, isValidElement, type ReactElement, type ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { type Code, GuideCode } from './guide-code.tsx'
import { anchorOf, hrefOf } from './guides.ts'
import { readConsole, nodeProgram, pythonProgram, readRequest } from './request.ts'

const elements = {
  a: GuideLink,
  code: (props: ComponentProps<'code'>) => <code {...props}>{ofThisInstallation(props.children)}</code>,
  h2: (props: ComponentProps<'h2'>) => <h2 id={anchorOf(String(props.children))} {...props} />,
  h3: (props: ComponentProps<'h3'>) => <h3 id={anchorOf(String(props.children))} {...props} />,
  pre: Fence,
  Programs,
}

/** Returns the components that replace HTML elements in guides. Next requires this function name. */
export const useMDXComponents = () => elements

/** Shows a link. Documentation pages open without a full page load. */
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

/** Returns the code of a fenced block. In a console block, the text after the command is the response. */
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

/** Shows a fenced block with a copy button. Simple curl requests are shown in other languages, too. */
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

/** Shows equivalent fenced blocks as tabs. `name` is the file name of the programs, without extension. */
function Programs({ name, children }: { name: string; children?: ReactNode }) {
  const codes = Children.toArray(children)
    .filter((child) => isValidElement<FenceProps>(child))
    .map(({ props }) => codeOf(props, name))
    .map((code) => (code.language === languages['console'] ? { ...code, language: 'curl' } : code))
  return <GuideCode codes={codes as [Code, ...Code[]]} />
}

/** Replaces the example URL in guides with this installation's URL. */
const ofThisInstallation = (children: ReactNode) =>
  typeof children === 'string'
    ? children.replaceAll('https://deals.example.com', sharedServices().config.publicUrl)
    : children
