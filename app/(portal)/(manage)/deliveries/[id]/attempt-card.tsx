import { Badge } from '#app/ui/badge.tsx'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { formatCount } from '#app/ui/format.ts'
import { When } from '#app/ui/when.tsx'
import { readable } from './readable.ts'

/** One request and its response. */
interface Attempt {
  number: number
  startedAt: Date
  durationMs: number
  url: string
  requestHeaders: Record<string, string>
  /** Null when there was no response. */
  status: number | null
  /** Why there was no complete response. */
  error: string | null
  responseHeaders: string
  responseBody: string
}

/** Shows an attempt in one line; expanded, with its request and response. */
export function AttemptCard({
  attempt,
  isOpen,
  nowMs,
}: {
  attempt: Attempt
  isOpen: boolean
  nowMs: number
}) {
  const { number, startedAt, durationMs, url, requestHeaders, status, error, responseHeaders, responseBody } =
    attempt
  const isAccepted = error === null && status !== null && status >= 200 && status < 300
  const request = [
    `POST ${url}`,
    ...Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`),
  ].join('\n')
  return (
    <details open={isOpen} className="group rounded-xl border border-line bg-surface">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 rounded-xl px-4 py-3 sm:px-5">
        <span className="font-medium">Attempt {number}</span>
        <Badge tone={isAccepted ? 'good' : 'bad'}>
          {status === null ? 'No response' : `Status ${status}`}
        </Badge>
        <span className="text-ink-soft tabular-nums">{formatCount(durationMs)} ms</span>
        <span className="ml-auto text-ink-soft">
          <When at={startedAt} nowMs={nowMs} />
        </span>
      </summary>
      <div className="flex flex-col gap-4 border-t border-line p-4 sm:p-5">
        {error !== null && <p className="text-bad">{error}</p>}
        <div>
          <h3 className="mb-1.5 font-medium">Request</h3>
          <CodeBlock label="Request" text={request} />
        </div>
        {status !== null && (
          <div>
            <h3 className="mb-1.5 font-medium">Response</h3>
            <CodeBlock
              label="Response"
              text={[
                `Status ${status}`,
                responseHeaders,
                '',
                responseBody === '' ? '(no body)' : readable(responseBody),
              ]
                .join('\n')
                .replace(/\n{3,}/g, '\n\n')}
            />
          </div>
        )}
      </div>
    </details>
  )
}
