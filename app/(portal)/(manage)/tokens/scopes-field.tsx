import { CircleAlert } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { Scope } from '#server/tokens/scope.ts'
import { scopeLabels } from './labels.ts'

/** Shows a checkbox for each scope; `input` connects them to the form. */
export function ScopesField({
  allowed,
  isMissing,
  input,
}: {
  allowed: readonly Scope[]
  isMissing: boolean
  input: ComponentProps<'input'>
}) {
  return (
    <fieldset aria-describedby={isMissing ? 'scopes-note' : undefined}>
      <legend className="mb-1.5 font-medium">Scopes</legend>
      {allowed.map((scope) => (
        <label key={scope} className="flex gap-2.5 py-1.5">
          <input
            type="checkbox"
            value={scope}
            aria-label={scope}
            aria-invalid={isMissing || undefined}
            {...input}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span className="block font-mono text-xs/5">{scope}</span>
            <span className="block text-pretty text-ink-soft">{scopeLabels[scope]}</span>
          </span>
        </label>
      ))}
      {isMissing && (
        <p id="scopes-note" role="alert" className="mt-1 flex gap-1.5 text-bad">
          <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
          Select at least one scope.
        </p>
      )}
    </fieldset>
  )
}
