'use client'

import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { DropArea, SelectField } from '#app/ui/fields.tsx'
import { type FileKind, fileKinds } from '#server/files/kind.ts'
import { dealFileMaxBytes } from '#server/files/policy.ts'
import { formatLimit } from '#server/values/units.ts'
import { fileKindLabels } from './deal-files.tsx'
import { FilesInput, UploadList, useUploads } from './uploads.tsx'

const choices = fileKinds.map((value) => ({ value, label: fileKindLabels[value] }))

/** Lets operators add files to a deal by choosing or dropping them. */
export function AddFiles({ dealId }: { dealId: string }) {
  const { client, files } = trpc.useUtils()
  const [kind, setKind] = useState<FileKind>('other')
  const { uploads, ...actions } = useUploads()
  const add = (added: FileList | null) =>
    actions.add(added, ({ name, size }) => ({
      begin: () => client.files.begin.mutate({ dealId, name, kind, sizeBytes: size }),
      urlOf: (id) => `/uploads/${id}/content`,
      async finish(id) {
        await client.files.finish.mutate({ id })
        await files.list.invalidate({ dealId })
      },
      discard: (id) => client.files.discard.mutate({ id }),
    }))
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      <SelectField
        label="Kind of file"
        choices={choices}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as FileKind)}
      />
      <DropArea onDrop={add} className="px-4 py-5">
        <FileUp aria-hidden="true" className="mb-1 size-5 text-ink-soft" />
        <span className="font-medium">Choose files, or drop them here</span>
        <span className="text-ink-soft">Up to {formatLimit(dealFileMaxBytes)} each</span>
        <FilesInput aria-label="Files to add" onAdd={add} />
      </DropArea>
      <UploadList label="Uploads" uploads={uploads.filter(({ state }) => state !== 'done')} {...actions} />
    </div>
  )
}
