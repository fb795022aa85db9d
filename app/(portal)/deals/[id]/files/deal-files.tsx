'use client'

import { Paperclip } from 'lucide-react'
import dynamic from 'next/dynamic'
import { trpc } from '#app/trpc.ts'
import { Loading, SectionFailure } from '#app/ui/states.tsx'
import { useViewer } from '../../../viewer-of-page.tsx'
import { DealSection } from '../section.tsx'
import { FileList } from './file-list.tsx'
import { Thumbnails } from './thumbnails.tsx'

const AddFiles = dynamic(() => import('./add-files.tsx').then((module) => module.AddFiles))

/** Shows the files of a deal but its agreement, and lets operators add more. */
export function DealFiles({ dealId, agreementId }: { dealId: string; agreementId: string | null }) {
  const isOperator = useViewer().role === 'operator'
  const { data, error, refetch } = trpc.files.list.useQuery({ dealId })
  const files = data?.filter(({ id }) => id !== agreementId)
  if (files?.length === 0 && !isOperator) return null
  return (
    <DealSection title="Files" icon={Paperclip}>
      <div className="flex flex-col gap-4">
        {files === undefined && error === null && <Loading what="files" />}
        {files === undefined && error !== null && <SectionFailure error={error} retry={refetch} />}
        {files !== undefined && <Thumbnails files={files} />}
        {files !== undefined && <FileList files={files} dealId={dealId} canRemove={isOperator} />}
        {isOperator && <AddFiles dealId={dealId} />}
      </div>
    </DealSection>
  )
}
