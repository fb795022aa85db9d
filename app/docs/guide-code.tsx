import { Copy } from './copy.tsx'

/** Shows copyable code. `answer` is its response, abbreviated with … */
export function GuideCode({ label, text, answer }: { label: string; text: string; answer?: string }) {
  return (
    <figure className="my-5 overflow-hidden rounded-xl border border-line bg-surface">
      <figcaption className="flex h-9 items-center justify-between border-b border-line pr-2 pl-4 text-xs text-ink-soft">
        {label}
        <Copy text={text} />
      </figcaption>
      <pre className={code}>{text}</pre>
      {answer !== undefined && (
        <>
          <div className="border-t border-line bg-sunken px-4 pt-2 text-xs/5 text-ink-soft">Response</div>
          <pre className={`${code} bg-sunken pt-1`}>{answer}</pre>
        </>
      )}
    </figure>
  )
}

// Lines wrap instead of scrolling; copying returns the original text.
const code = 'px-4 py-3 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap'
