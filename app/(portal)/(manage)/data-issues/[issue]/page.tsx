import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { prefetched } from '#app/prefetched.tsx'
import { isDataIssue, issueLabel } from '../labels.ts'
import { DataIssuePage } from './data-issue-page.tsx'

interface Props {
  params: Promise<{ issue: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { issue } = await params
  return { title: isDataIssue(issue) ? issueLabel(issue).title : 'Data issues' }
}

export default async function Page({ params }: Props) {
  const { issue } = await params
  if (!isDataIssue(issue)) notFound()
  return prefetched(
    `/data-issues/${issue}`,
    ({ dataQuality }) => dataQuality.list.fetchInfinite({ issue }),
    <DataIssuePage issue={issue} />,
  )
}
