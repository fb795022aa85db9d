import { type FormEvent, useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { CopyButton } from '#app/ui/copy-button.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { Source } from '../labels.ts'

/** Sets up webhooks of HubSpot, which have the source read at once. */
export function HintSettings({ source: { id, hintUrl, hasSigningSecret } }: { source: Source }) {
  const { sources } = trpc.useUtils()
  const [secret, setSecret] = useState('')
  const set = trpc.sources.setSigningSecret.useMutation({
    async onSuccess(_, given) {
      await sources.get.invalidate({ id })
      toast.success(given.secret === null ? 'Webhooks turned off.' : 'Client secret saved.')
      setSecret('')
    },
  })
  function save(event: FormEvent) {
    event.preventDefault()
    if (!set.isPending && secret.trim() !== '') set.mutate({ id, secret: secret.trim() })
  }
  return (
    <Panel
      title="Webhooks from HubSpot"
      about="Optional. HubSpot says that a deal has changed, and the source is read at once."
    >
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-ink-soft">Target URL</span>
        <code className="wrap-anywhere">{hintUrl}</code>
        <CopyButton label="Copy target URL" confirmation="URL copied." look="icon" text={() => hintUrl} />
      </p>
      <form className="mt-4 flex flex-col gap-3" onSubmit={save}>
        <FormProblem problem={set.error && refusalMessage(set.error)} />
        <TextField
          label="Client secret"
          type="password"
          autoComplete="off"
          spellCheck={false}
          hint={
            hasSigningSecret
              ? 'Set. Enter another one to replace it.'
              : 'The client secret of the HubSpot app that sends the webhooks. Without it, none are accepted.'
          }
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
        />
        <div className="flex flex-wrap gap-2">
          <SubmitButton look="plain" busy={set.isPending} disabled={secret.trim() === ''}>
            Save secret
          </SubmitButton>
          {hasSigningSecret && (
            <button type="button" className={button.plain} onClick={() => set.mutate({ id, secret: null })}>
              Turn off webhooks
            </button>
          )}
        </div>
      </form>
    </Panel>
  )
}
