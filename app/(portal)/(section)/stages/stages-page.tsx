'use client'

import type { inferRouterOutputs } from '@trpc/server'
import { ListOrdered } from 'lucide-react'
import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { formatCount } from '#app/ui/format.ts'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import type { Api } from '#server/api.ts'
import { isMoving } from '#server/stages/stage.ts'
import { stageLooks } from '../../deals/stage-looks.ts'
import { RowButton } from '../row-button.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { kindLabels, placeLabels } from './labels.ts'

/** A stage, with what the CRM says of it. */
type Stage = inferRouterOutputs<Api>['stages']['editable'][number]

/** Shows all stages in their order, to be corrected. */
export function StagesPage() {
  const query = trpc.stages.editable.useQuery()
  const [edited, setEdited] = useState<Stage | null>(null)
  return (
    <>
      <PageHead
        title="Stages"
        about="A new stage is classified by its name: confirm what its deals wait for. All of it applies to all partners."
      />
      <QueryState what="stages" query={query} data={query.data}>
        {(stages) =>
          stages.length === 0 ? (
            <Notice icon={ListOrdered} title="No stages yet">
              Stages appear with the first import of deals.
            </Notice>
          ) : (
            <ListTable
              label="Stages"
              columns={columnsFor(setEdited)}
              rows={stages}
              keyOf={({ name }) => name}
            />
          )
        }
      </QueryState>
      {edited !== null && <EditDialog stage={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

const columnsFor = (edit: (stage: Stage) => void): ListColumn<Stage>[] => [
  { title: 'Stage', cell: ({ name, tone }) => <Badge tone={stageLooks[tone].badge}>{name}</Badge> },
  { title: 'Kind', cell: ({ kind }) => kindLabels[kind] },
  {
    title: 'Waiting for',
    cell: ({ kind, place, isPlaceProposed }) =>
      isMoving(kind) && (
        <>
          {placeLabels[place ?? 'none']}
          {isPlaceProposed && <span className="text-ink-soft"> (proposed)</span>}
        </>
      ),
  },
  { title: 'Order', isNumber: true, cell: ({ order }) => formatCount(order) },
  {
    title: 'Probability',
    isNumber: true,
    cell: ({ probability }) => (probability === null ? '' : `${Math.round(probability * 100)} %`),
  },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (stage) => (
      <div className="flex sm:justify-end">
        <RowButton busy={false} name={stage.name} onClick={() => edit(stage)}>
          Edit
        </RowButton>
      </div>
    ),
  },
]
