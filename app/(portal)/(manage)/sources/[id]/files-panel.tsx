import { type FormEvent, useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { SubmitButton } from '#app/ui/button.tsx'
import { refusalMessage } from '#app/ui/failure-message.ts'
import { CheckField, FormProblem, SelectField, TextField } from '#app/ui/fields.tsx'
import { formatCount, formatCountOf } from '#app/ui/format.ts'
import { Link } from '#app/ui/link.tsx'
import { ListTable } from '#app/ui/list.tsx'
import { Panel } from '#app/ui/page-head.tsx'
import type { Source } from '../labels.ts'
import { useDone } from './use-done.ts'

const modes = [
  { value: 'off', label: 'No files' },
  { value: 'link', label: 'Link to HubSpot' },
  { value: 'copy', label: 'Copy into the file storage' },
]

/** Shows the files in HubSpot, and lets operators choose which files are copied. */
export function FilesPanel({ source }: { source: Source }) {
  return (
    <Panel title="Files" about="Files in the CRM: listed in deal properties, or attached to notes.">
      <FileState source={source} />
      <FileForm source={source} />
    </Panel>
  )
}

function FileState({ source: { files, fileState } }: { source: Source }) {
  const { here, waiting, failed, problems } = fileState
  if (files === null && here + waiting + failed === 0) return null
  return (
    <div className="mb-5 space-y-3">
      <p className="font-medium">
        {formatCountOf(here, 'file')}
        {waiting > 0 && ` · ${formatCount(waiting)} waiting`}
        {failed > 0 && ` · ${formatCount(failed)} failed`}
      </p>
      {problems.length > 0 && (
        <ListTable
          label="Failed files"
          columns={[
            { title: 'File', cell: ({ fileId }) => <code>{fileId}</code> },
            {
              title: 'Deal',
              cell: ({ dealId }) => (
                <Link href={`/deals/${dealId}`} className="rounded hover:underline">
                  {String(dealId)}
                </Link>
              ),
            },
            { title: 'Reason', cell: ({ problem }) => problem },
          ]}
          rows={problems}
          keyOf={({ fileId }) => fileId}
        />
      )}
      {failed > 0 && <p className="text-ink-soft">Retried at each sync.</p>}
    </div>
  )
}

function FileForm({ source: { id, files } }: { source: Source }) {
  const done = useDone()
  const [mode, setMode] = useState<string>(files?.mode ?? 'off')
  const [notes, setNotes] = useState(files?.notes ?? false)
  const [properties, setProperties] = useState(files?.properties.join(', ') ?? '')
  const set = trpc.sources.setFiles.useMutation(done('Files changed.'))
  const names = properties.split(',').flatMap((name) => name.trim() || [])
  const isChanged =
    mode !== (files?.mode ?? 'off') ||
    notes !== (files?.notes ?? false) ||
    names.join() !== (files?.properties.join() ?? '')
  const canSave = isChanged && (mode === 'off' || notes || names.length > 0)
  function save(event: FormEvent) {
    event.preventDefault()
    if (set.isPending || !canSave) return
    set.mutate({ id, files: mode === 'link' || mode === 'copy' ? { properties: names, notes, mode } : null })
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={save}>
      <FormProblem problem={set.error && refusalMessage(set.error)} />
      <SelectField
        label="Files from HubSpot"
        className="max-w-sm"
        choices={modes}
        value={mode}
        onChange={({ currentTarget: { value } }) => setMode(value)}
      />
      {mode !== 'off' && (
        <>
          <TextField
            label="Properties"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            hint="Names of properties that contain file IDs, separated by commas. The private app needs the scope “files”."
            value={properties}
            onChange={({ target }) => setProperties(target.value)}
          />
          <CheckField
            label="Attachments of notes"
            hint="Needs the scope “crm.objects.contacts.read”."
            checked={notes}
            onChange={({ target }) => setNotes(target.checked)}
          />
        </>
      )}
      {mode === 'off' && files !== null && (
        <p className="text-pretty text-ink-soft">Saving removes the files that came from HubSpot.</p>
      )}
      <SubmitButton look="plain" busy={set.isPending} disabled={!canSave} className="h-10 self-start">
        Save files
      </SubmitButton>
    </form>
  )
}
