'use client'

import { type FormEvent, type ReactNode, createContext, use, useId, useState } from 'react'
import { Button } from '#app/ui/button.tsx'
import { TextField } from '#app/ui/fields.tsx'
import type { Parameter } from './document.ts'

const Token = createContext<{ token: string; setToken: (token: string) => void }>({
  token: '',
  setToken: () => {},
})

/** Stores the token for trying operations. The token is only kept in the page's memory. */
export function TokenOfPage({ children }: { children: ReactNode }) {
  const [token, setToken] = useState('')
  return <Token value={{ token, setToken }}>{children}</Token>
}

/** Shows the input for the token. */
export function TokenField() {
  const { token, setToken } = use(Token)
  return (
    <div className="mt-6 max-w-md">
      <TextField
        label="Token"
        type="password"
        autoComplete="off"
        value={token}
        onChange={({ target }) => setToken(target.value)}
      />
    </div>
  )
}

/** An operation that users can try. */
interface TriedOperation {
  method: string
  path: string
  /** Path and query parameters. */
  parameters: Parameter[]
  /** Example of the request body; null if the operation has none. */
  body: string | null
}

/** Status and body of a response, or the reason for a missing response. */
interface Answered {
  status: string
  text: string
}

/** Shows a form that calls an operation with the page's token, and the response. */
export function TryIt({ name, ...operation }: TriedOperation & { name: string }) {
  const { parameters, body } = operation
  const { token } = use(Token)
  const bodyId = useId()
  const [isBusy, setIsBusy] = useState(false)
  const [answer, setAnswer] = useState<Answered | null>(null)

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    setIsBusy(true)
    setAnswer(await call(operation, token, new FormData(event.currentTarget)))
    setIsBusy(false)
  }

  return (
    <details className="mt-4 text-sm">
      <summary className="w-fit font-medium">
        Try it<span className="sr-only">: {name}</span>
      </summary>
      <form onSubmit={(event) => void send(event)} className="mt-3 flex flex-col items-start gap-4">
        {parameters.map((parameter) => (
          <TextField
            key={parameter.name}
            label={parameter.name}
            name={parameter.name}
            required={parameter.required}
            hint={parameter.schema.description}
          />
        ))}
        {body !== null && (
          <label htmlFor={bodyId} className="flex w-full flex-col gap-1.5 font-medium">
            Body
            <textarea
              id={bodyId}
              name="body"
              rows={8}
              defaultValue={body}
              className="w-full rounded-lg border border-control bg-surface p-3 font-mono text-base font-normal sm:text-[0.8125rem]"
            />
          </label>
        )}
        <Button type="submit" busy={isBusy} about={name}>
          Send request
        </Button>
        <Answer answer={answer} />
      </form>
    </details>
  )
}

/** Sends the request that the form describes. */
async function call(
  { method, path, parameters, body }: TriedOperation,
  token: string,
  form: FormData,
): Promise<Answered> {
  const valueOf = (name: string) => String(form.get(name))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)))
  const url = new URL(filled, location.origin)
  for (const { in: place, name } of parameters)
    if (place === 'query' && valueOf(name) !== '') url.searchParams.set(name, valueOf(name))
  const authorization = { Authorization: `Bearer ${token}` }
  const sent =
    body === null
      ? { headers: authorization }
      : { headers: { ...authorization, 'Content-Type': 'application/json' }, body: valueOf('body') }
  try {
    const response = await fetch(url, { method, credentials: 'omit', ...sent })
    return { status: `${response.status} ${response.statusText}`, text: indented(await response.text()) }
  } catch {
    return { status: 'The request could not be sent.', text: '' }
  }
}

/** Shows the response. Always rendered, so that screen readers announce changes. */
const Answer = ({ answer }: { answer: Answered | null }) => (
  <div role="status" className="w-full">
    {answer !== null && (
      <>
        <p className="font-medium">{answer.status}</p>
        <pre
          tabIndex={0}
          aria-label="Response"
          className="mt-2 max-h-96 overflow-auto rounded-xl bg-sunken px-4 py-3 font-mono text-[0.8125rem]/5 wrap-anywhere whitespace-pre-wrap"
        >
          {answer.text}
        </pre>
      </>
    )}
  </div>
)

// Not shared with the portal, whose pages would load this code in another, larger chunk.
/** Indents JSON without changing any digits, because IDs may exceed the safe integers of JavaScript. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text, rawNumber), null, 2)
  } catch {
    return text
  }
}

function rawNumber(_key: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const { rawJSON } = JSON as { rawJSON?: (source: string) => unknown }
  return typeof value === 'number' && source !== undefined && rawJSON !== undefined ? rawJSON(source) : value
}
