'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { Download, Eye, Paperclip, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button-styles.ts'
import { Button } from '#app/ui/button.tsx'
import { Confirm } from '#app/ui/confirm.tsx'
import { failureMessage, refusalMessage } from '#app/ui/failure-message.ts'
import { formatBytes } from '#app/ui/format-bytes.ts'
import { lazyPart } from '#app/ui/load-part.ts'
import { SectionNotLoaded } from '#app/ui/states.tsx'
import { useViewer } from '#app/ui/viewer.tsx'
import type { Api } from '#server/api.ts'
import type { FileKind } from '#server/files/kind.ts'
import { DealSection, EditButton } from '../deal-parts.tsx'

const AddFiles = lazyPart(() => import('./add-files.tsx').then((module) => module.AddFiles))

/** Shows the files of a deal, the agreement first, and lets operators add files. */
export function DealFiles({ dealId, agreementId }: { dealId: string; agreementId: string | null }) {
  const isOperator = useViewer().role === 'operator'
  const [isEditing, setEditing] = useState(false)
  const query = trpc.files.list.useQuery({ dealId })
  const { data } = query
  const agreement = data?.find(({ id }) => id === agreementId)
  const files =
    agreement === undefined
      ? data
      : [{ ...agreement, kind: 'agreement' as const }, ...data!.filter((file) => file !== agreement)]
  const isMissing = data !== undefined && agreementId !== null && agreement === undefined
  if (files?.length === 0 && !isMissing && !isOperator) return null
  return (
    <DealSection
      title="Files"
      icon={Paperclip}
      aside={
        isOperator && (
          <EditButton isEditing={isEditing} setEditing={setEditing}>
            {files?.length === 0 ? 'Add files' : 'Edit files'}
          </EditButton>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {files === undefined && <SectionNotLoaded what="files" query={query} />}
        {files !== undefined && <Thumbnails files={files} />}
        {isMissing && <p className="text-bad">The agreement’s file is missing.</p>}
        {files?.length === 0 && !isMissing && <p className="text-ink-soft">No files yet.</p>}
        {files !== undefined && <FileList files={files} dealId={dealId} canRemove={isEditing} />}
        {isEditing && <AddFiles dealId={dealId} />}
      </div>
    </DealSection>
  )
}

function FileList({ files, dealId, canRemove }: { files: DealFile[]; dealId: string; canRemove: boolean }) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Files" className="flex flex-col gap-4">
      {files.map((file) => (
        <li key={file.id} className="flex flex-col gap-2">
          <div className="min-w-0">
            <p className="font-medium wrap-anywhere">{file.name}</p>
            <p className="text-ink-soft">
              {fileKindLabels[file.kind]} · {formatBytes(file.size)}
            </p>
          </div>
          <div className="flex flex-wrap items-start gap-2">
            {file.view !== null && !isThumbnail(file) && (
              <a href={file.view.url} target="_blank" rel="noopener noreferrer" className={button.plain}>
                <Eye aria-hidden="true" className="size-4" />
                Open<span className="sr-only"> {file.name} in a new tab</span>
              </a>
            )}
            <DownloadFile id={file.id} name={file.name} />
            {canRemove && <RemoveFile file={file} dealId={dealId} />}
          </div>
        </li>
      ))}
    </ul>
  )
}

function RemoveFile({ file: { id, name }, dealId }: { file: DealFile; dealId: string }) {
  const { files } = trpc.useUtils()
  const [problem, setProblem] = useState<string | null>(null)
  const remove = trpc.files.remove.useMutation({
    onSuccess: () => files.list.invalidate({ dealId }),
    onError: (error) => setProblem(refusalMessage(error)),
  })
  return (
    <>
      <Confirm
        trigger={
          <Button look="remove" busy={remove.isPending} about={name}>
            <Trash2 aria-hidden="true" className="size-4" />
            Remove
          </Button>
        }
        title="Remove this file?"
        yes="Remove file"
        no="Keep file"
        isDestructive
        onYes={() => remove.mutate({ id })}
      >
        {name} is removed from the deal, and its URLs stop working.
      </Confirm>
      {problem !== null && (
        <p role="alert" className="w-full text-pretty text-bad">
          {problem}
        </p>
      )}
    </>
  )
}

const isThumbnail = ({ view }: DealFile) => view?.kind === 'image' && view.isSmall

function Thumbnails({ files }: { files: DealFile[] }) {
  const images = files.filter(isThumbnail)
  if (images.length === 0) return null
  return (
    <ul aria-label="Images" className="flex gap-2 overflow-x-auto pb-1">
      {images.map(({ id, name, view }) => (
        <li key={id} className="shrink-0">
          <a
            href={view!.url}
            target="_blank"
            rel="noopener noreferrer"
            className="block overflow-hidden rounded-lg border border-line hover:border-accent"
          >
            {/* Next's own image component would load the file on the server, which has no permission. */}
            <img
              src={view!.url}
              alt={`Open ${name} in a new tab`}
              loading="lazy"
              decoding="async"
              className="size-20 bg-sunken object-cover text-xs"
            />
          </a>
        </li>
      ))}
    </ul>
  )
}

type DealFile = inferRouterOutputs<Api>['files']['list'][number]

export const fileKindLabels: Record<FileKind, string> = {
  agreement: 'Agreement',
  'plan-set': 'Plan set',
  permit: 'Permit',
  photo: 'Photo',
  'utility-bill': 'Utility bill',
  other: 'Other',
}

/** Downloads a file. */
export function DownloadFile({ id, name }: { id: string; name: string }) {
  const { files } = trpc.useUtils()
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)

  async function download() {
    setBusy(true)
    setProblem(null)
    try {
      // The URL loaded earlier may have expired.
      const { url } = await files.download.fetch({ id }, { staleTime: 0 })
      // The response is an attachment, so the browser stays on the page.
      window.location.assign(url)
    } catch (failure) {
      setProblem(downloadProblem(failure))
    } finally {
      setBusy(false)
    }
  }

  return (
    <>
      <Button busy={isBusy} about={name} onClick={() => void download()} className="self-start">
        {!isBusy && <Download aria-hidden="true" className="size-4" />}
        Download
      </Button>
      {problem !== null && (
        <p role="alert" className="text-pretty text-bad">
          {problem}
        </p>
      )}
    </>
  )
}

function downloadProblem(error: unknown): string {
  const code = (error as { data?: { code?: string } }).data?.code
  return code === 'NOT_FOUND' || code === 'BAD_REQUEST' ? 'The file is missing.' : failureMessage(error)
}
