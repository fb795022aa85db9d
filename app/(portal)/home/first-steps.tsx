'use client'

import { Circle, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { trpc } from '#app/trpc.ts'
import { Link, PartnerLink } from '#app/ui/link.tsx'
import { QueryState } from '#app/ui/states.tsx'

const link = 'rounded font-medium underline underline-offset-2'

/** Shows setup steps, and which are done, to an operator of an installation without deals. */
export function FirstSteps() {
  const partners = trpc.partners.list.useQuery({ search: '' })
  const sources = trpc.sources.list.useQuery()
  const stages = trpc.stages.editable.useQuery()
  const isLoaded = partners.data && sources.data && stages.data
  return (
    <QueryState
      what="first steps"
      query={[partners, sources, stages].find(({ error }) => error !== null) ?? partners}
      data={
        isLoaded && {
          partners: partners.data.partners,
          isConnected: sources.data.some(({ connectedAt }) => connectedAt !== null),
          areStagesChecked:
            stages.data.length > 0 && stages.data.every(({ isPlaceProposed }) => !isPlaceProposed),
        }
      }
    >
      {(progress) => <Steps {...progress} />}
    </QueryState>
  )
}

function Steps({
  partners,
  isConnected,
  areStagesChecked,
}: {
  partners: { slug: string; admins: number; invited: number }[]
  isConnected: boolean
  areStagesChecked: boolean
}) {
  const uninvited = partners.find(({ admins, invited }) => admins + invited === 0)
  return (
    <section aria-labelledby="first-steps" className="mx-auto max-w-xl px-6 py-10">
      <h2 id="first-steps" className="text-base font-semibold">
        First steps
      </h2>
      <p className="mt-1.5 text-pretty text-ink-soft">No deals yet. They’ll appear here.</p>
      <ol className="mt-5 flex flex-col gap-5">
        <Step isDone={partners.length > 0} about="A dealer whose deals you share.">
          <Link href="/partners" className={link}>
            Create a partner
          </Link>
        </Step>
        <Step isDone={isConnected} about="Start with a file from your CRM, or sync its deals.">
          <Link href="/imports" className={link}>
            Import deals
          </Link>{' '}
          or{' '}
          <Link href="/sources" className={link}>
            connect a CRM
          </Link>
        </Step>
        <Step
          isDone={areStagesChecked}
          about="Stages come with the deals. Confirm what their deals wait for."
        >
          <Link href="/stages" className={link}>
            Check the stages
          </Link>
        </Step>
        <Step
          isDone={partners.length > 0 && uninvited === undefined}
          about="Admins invite the rest of their team."
        >
          {uninvited === undefined ? (
            <Link href="/partners" className={link}>
              Invite the partner’s admin
            </Link>
          ) : (
            <PartnerLink href="/team" partner={uninvited.slug} className={link}>
              Invite the partner’s admin
            </PartnerLink>
          )}
        </Step>
      </ol>
    </section>
  )
}

function Step({ isDone, about, children }: { isDone: boolean; about: string; children: ReactNode }) {
  const Icon = isDone ? CircleCheck : Circle
  return (
    <li className="flex gap-3">
      <Icon
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 ${isDone ? 'text-accent' : 'text-ink-soft'}`}
      />
      <div className="min-w-0">
        <p>
          {children}
          <span className={isDone ? 'ml-2 text-ink-soft' : 'sr-only'}> {isDone ? 'Done' : 'Not done'}</span>
        </p>
        <p className="text-pretty text-ink-soft">{about}</p>
      </div>
    </li>
  )
}
