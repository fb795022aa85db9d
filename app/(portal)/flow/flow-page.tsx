'use client'

import { Workflow } from 'lucide-react'
import { useQueryStates } from 'nuqs'
import { trpc } from '#app/trpc.ts'
import { Notice } from '#app/ui/notice.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { refetchOld } from '#app/ui/times.tsx'
import { Cohorts } from './cohorts.tsx'
import { FlowHead } from './flow-head.tsx'
import { Months } from './months.tsx'
import { flowParsers } from './query.ts'
import { Slices } from './slices.tsx'
import { Steps } from './steps.tsx'

/** Shows how long the steps of deals take, which deals are slow, and how many go on. */
export function FlowPage() {
  const [{ months }, setState] = useQueryStates(flowParsers)
  const query = trpc.insight.flow.useQuery({ months }, { refetchInterval: refetchOld })
  const { data, dataUpdatedAt: nowMs } = query
  return (
    <>
      <FlowHead
        title="Flow"
        tab="Steps"
        about="How long each step takes, which deals are slower than usual, and where deals drop out."
        asOf={data?.asOf ?? null}
        nowMs={nowMs}
        months={months}
        onMonths={(value) => void setState({ months: value })}
      />
      <QueryState what="flow" query={query} data={data}>
        {(figures) =>
          figures.dealCount === 0 ? (
            <div className="rounded-xl border border-line bg-surface">
              <Notice icon={Workflow} title="No deals yet">
                This page shows how long the steps of your deals take once you have deals.
              </Notice>
            </div>
          ) : (
            <div className="flex flex-col gap-5">
              <Steps figures={figures} />
              <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-2">
                <Months figures={figures} />
                <Cohorts figures={figures} />
              </div>
              <Slices figures={figures} />
            </div>
          )
        }
      </QueryState>
    </>
  )
}
