'use client'

import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { SelectField } from '#app/ui/fields.tsx'
import { type FileKind, fileKinds } from '#server/files/kind.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { formatLimit } from '#server/protocol/units.ts'
import { FileUpload } from './file-upload.tsx'
import { fileKindLabels } from './kind-labels.ts'

const choices = fileKinds.map((value) => ({ value, label: fileKindLabels[value] }))

/** A file that was chosen to be added. */
interface Chosen {
  key: number
  file: File
  kind: FileKind
}

let lastKey = 0

/** Lets operators add files to a deal: chosen with a click or dropped, several at once. */
export function AddFiles({ dealId }: { dealId: string }) {
  const [kind, setKind] = useState<FileKind>('other')
  const [chosen, setChosen] = useState<Chosen[]>([])
  const [isOver, setIsOver] = useState(false)
  const add = (files: FileList | null) =>
    setChosen([...chosen, ...[...(files ?? [])].map((file) => ({ key: ++lastKey, file, kind }))])
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <SelectField
        label="Kind of file"
        choices={choices}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as FileKind)}
      />
      <label
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setIsOver(false)
          add(event.dataTransfer.files)
        }}
        className={`flex cursor-pointer flex-col items-center gap-1 rounded-xl border border-dashed px-4 py-5 text-center focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent ${isOver ? 'border-accent bg-sunken' : 'border-control hover:bg-sunken'}`}
      >
        <FileUp aria-hidden="true" className="mb-1 size-5 text-ink-soft" />
        <span className="font-medium">Choose files, or drop them here</span>
        <span className="text-ink-soft">Up to {formatLimit(dealFileMaxBytes)} each</span>
        <input
          type="file"
          multiple
          aria-label="Files to add"
          onChange={({ currentTarget }) => {
            add(currentTarget.files)
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
          className="sr-only"
        />
      </label>
      {chosen.length > 0 && (
        <ul aria-label="Uploads" className="flex flex-col gap-3">
          {chosen.map(({ key, ...upload }) => (
            <FileUpload
              key={key}
              {...upload}
              dealId={dealId}
              onEnd={() => setChosen((rest) => rest.filter((other) => other.key !== key))}
            />
          ))}
        </ul>
      )}
    </div>
  )
}
