import { partsOf } from './message-parts.ts'

/** Shows plain text with links and highlighted mentions of these people. */
export function MessageText({ text, mentions }: { text: string; mentions: readonly string[] }) {
  return partsOf(text, mentions).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity, and never move
    <Part key={index} {...part} />
  ))
}

function Part({ kind, text }: ReturnType<typeof partsOf>[number]) {
  if (kind === 'mention') return <span className="font-medium text-accent">{text}</span>
  if (kind === 'text') return text
  return (
    <a
      href={text}
      target="_blank"
      rel="noopener noreferrer nofollow ugc"
      className="text-accent underline underline-offset-2"
    >
      {text}
    </a>
  )
}
