'use client'

import { useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { LoadFailure } from '#app/ui/load-failure.tsx'
import { Loading } from '#app/ui/loading.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { PastImports } from './past-imports.tsx'
import { UploadForm } from './upload-form.tsx'
import { Uploading } from './uploading.tsx'
import type { Begun } from './use-begin-import.ts'

/** Imports deals from files: those of any partner, or of the one that the operator views the portal as. */
export function ImportsPage() {
  const partners = trpc.accounts.partners.useQuery()
  const me = trpc.accounts.me.useQuery()
  const [begun, setBegun] = useState<Begun | null>(null)
  const error = partners.error ?? me.error
  if (error !== null) {
    const retry = () => Promise.all([partners.refetch(), me.refetch()])
    return (
      <LoadFailure what="imports" retry={retry}>
        {failureMessage(error)}
      </LoadFailure>
    )
  }
  const form =
    partners.data === undefined || me.data === undefined ? (
      <Loading />
    ) : (
      <UploadForm partner={me.data.chosenPartner} partners={partners.data} onBegun={setBegun} />
    )
  return (
    <>
      <PageHead title="Imports" about="Create and update deals from a file." />
      <Panel
        title="New import"
        about="One record per deal. Fields that a record omits stay as they are, and so do those of empty cells unless you clear them; null in JSON clears a field. Importing the same file again changes nothing."
      >
        {begun === null ? form : <Uploading {...begun} onDiscarded={() => setBegun(null)} />}
      </Panel>
      <PastImports />
    </>
  )
}
