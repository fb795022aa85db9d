import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Prefetched } from '#app/providers.tsx'
import { prefetch } from '#app/trpc-server.ts'
import { findingLabels, isFinding } from '../labels.ts'
import { FindingPage } from './finding-page.tsx'

interface Props {
  params: Promise<{ finding: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { finding } = await params
  return { title: isFinding(finding) ? findingLabels[finding].title : 'Findings' }
}

export default async function Page({ params }: Props) {
  const { finding } = await params
  if (!isFinding(finding)) notFound()
  const state = await prefetch(`/findings/${finding}`, ({ accounts, findings }) =>
    Promise.all([accounts.me.fetch(), findings.list.fetchInfinite({ finding })]),
  )
  return (
    <Prefetched state={state}>
      <FindingPage finding={finding} />
    </Prefetched>
  )
}
