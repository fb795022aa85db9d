import { button } from '#app/ui/button.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatInstant } from '#app/ui/format.ts'
import type { NewToken } from '#server/tokens/wire.ts'

/** The text of a new token, the one time that it is there. `isLeaving`: somebody tried to leave without having said that it is kept. */
export function NewTokenShown({
  made: { token, curl, expiresAt },
  oldEndsAt,
  isLeaving,
  onKept,
}: {
  made: NewToken
  oldEndsAt?: Date
  isLeaving: boolean
  onKept: () => void
}) {
  return (
    <div className="-mx-6 flex min-h-0 flex-col gap-4 overflow-y-auto px-6">
      <p role="status" className="text-pretty">
        Put it where your system keeps its secrets. It is shown this once, and nobody can look it up later.
        {expiresAt !== null && ` It works until ${formatInstant(expiresAt.toISOString())}.`}
        {oldEndsAt !== undefined &&
          (oldEndsAt.getTime() > Date.now()
            ? ` The old one works until ${formatInstant(oldEndsAt.toISOString())}.`
            : ' The old one has ended.')}
      </p>
      <p
        role="group"
        aria-label="Token"
        className="rounded-lg bg-sunken p-4 font-mono text-[0.8125rem]/5 wrap-anywhere select-all"
      >
        {token}
      </p>
      {curl !== null && (
        <div>
          <p className="mb-1.5 text-pretty">Try it in a terminal:</p>
          <CodeBlock label="Command" text={curl} />
        </div>
      )}
      <FormProblem
        problem={isLeaving ? 'Keep the token first: when this window is closed, it is gone.' : null}
      />
      <div className="flex flex-wrap justify-end gap-3">
        <CopyButton label="Copy token" said="The token is copied." text={() => token} />
        <button type="button" onClick={onKept} className={button.primary}>
          I have kept it
        </button>
      </div>
    </div>
  )
}
