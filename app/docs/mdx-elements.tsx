import type { ComponentProps, ReactElement, ReactNode } from 'react'
import { Link } from '#app/ui/link.tsx'
import { sharedServices } from '#server/runtime/services.ts'
import { readConsole } from './console.ts'
import { GuideCode } from './guide-code.tsx'
import { hrefOf } from './guides.ts'

const elements = {
  a: GuideLink,
  code: (props: ComponentProps<'code'>) => <code {...props}>{ofThisInstallation(props.children)}</code>,
  h2: (props: ComponentProps<'h2'>) => <h2 id={slugOf(props.children)} {...props} />,
  h3: (props: ComponentProps<'h3'>) => <h3 id={slugOf(props.children)} {...props} />,
  pre: Fence,
}

/** Maps the elements of guides to components; Next requires this name. */
export const useMDXComponents = () => elements

/** Shows a link; to pages of this site it opens without a reload. */
function GuideLink({ href = '', ...props }: ComponentProps<'a'>) {
  const target = hrefOf(href)
  return target.startsWith('/docs') ? <Link href={target} {...props} /> : <a href={target} {...props} />
}

const labels: Record<string, string> = { sh: 'Shell', console: 'Shell', js: 'JavaScript', http: 'HTTP' }

/**
 * Shows a fenced block with its copy button; in a console block, the text after the command is its response.
 */
function Fence({ children }: { children?: ReactNode }) {
  const { className = '', children: content } = (
    children as ReactElement<{ className?: string; children?: ReactNode }>
  ).props
  const language = className.replace('language-', '')
  const text = String(ofThisInstallation(content)).trimEnd()
  return (
    <GuideCode
      label={labels[language] ?? language}
      {...(language === 'console' ? readConsole(text) : { text })}
    />
  )
}

/** Replaces the example URL of the guides with this installation's. */
const ofThisInstallation = (children: ReactNode) =>
  typeof children === 'string'
    ? children.replaceAll('https://deals.example.com', sharedServices().config.publicUrl)
    : children

/** Returns the anchor of a heading: `What may change` becomes `what-may-change`. */
const slugOf = (children: ReactNode) =>
  String(children)
    .toLowerCase()
    .replace(/[^a-z0-9 ]/g, '')
    .replaceAll(' ', '-')
