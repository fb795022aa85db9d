'use client'

import { GripVertical, ListOrdered } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { type ListColumn, ListTable } from '#app/ui/list-table.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { toast } from '#app/ui/toast.tsx'
import type { StageMove } from '#server/stages/order.ts'
import { isMoving } from '#server/stages/stage.ts'
import { stageLooks } from '../../deals/stage-looks.ts'
import { RowButton } from '../row-button.tsx'
import { ConfirmAll } from './confirm-all.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { kindLabels } from './labels.ts'
import { PlaceCell } from './place-cell.tsx'
import { moveTo, movedRows, namesBeside } from './rows.ts'
import type { Stage } from './stage.ts'
import { useRowDrag } from './use-row-drag.ts'
import { useStagesChanged } from './use-stages-changed.ts'

/** Shows all stages in their order, to be corrected. */
export function StagesPage() {
  const query = trpc.stages.editable.useQuery()
  return (
    <>
      <PageHead
        title="Stages"
        about="New stages are classified by name. Confirm what their deals wait for. Applies to all partners."
      >
        {query.data && <ConfirmAll stages={query.data} />}
      </PageHead>
      <QueryState what="stages" query={query} data={query.data}>
        {(stages) =>
          stages.length === 0 ? (
            <Notice icon={ListOrdered} title="No stages yet">
              Stages appear with the first import of deals.
            </Notice>
          ) : (
            <StageTable stages={stages} />
          )
        }
      </QueryState>
    </>
  )
}

/** Shows the stages, each of which is moved among those of its kind. */
function StageTable({ stages }: { stages: Stage[] }) {
  const [edited, setEdited] = useState<Stage | null>(null)
  const [moving, setMoving] = useState<StageMove | null>(null)
  const hintId = useId()
  const changed = useStagesChanged()
  const move = trpc.stages.move.useMutation({
    onError: (error) =>
      toast.error(
        error.data?.code === 'PRECONDITION_FAILED'
          ? 'The order was changed elsewhere. The table shows it as it is now; move the stage again.'
          : failureMessage(error),
      ),
    async onSettled() {
      await changed()
      setMoving(null)
    },
  })
  const rows = moving === null ? stages : movedRows(stages, moving)
  const { rowProps, handleProps, spoken } = useRowDrag(
    (name) => namesBeside(rows, name),
    (name, index) => {
      const made = moveTo(namesBeside(rows, name), name, index)
      if (made === null) return
      setMoving(made)
      move.mutate(made)
    },
    moving !== null,
  )
  const columns = columnsFor({
    hasProbability: rows.some(({ probability }) => probability !== null),
    edit: setEdited,
    handleOf: ({ name }) =>
      namesBeside(rows, name).length > 1 && (
        <Handle name={name} aria-describedby={hintId} {...handleProps(name)} />
      ),
  })
  return (
    <>
      <p id={hintId} className="mb-3 text-ink-soft">
        Drag a handle to reorder stages of the same kind, or focus it and press Space, then the arrow keys.
      </p>
      <ListTable
        label="Stages"
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        rowProps={({ name }) => rowProps(name)}
      />
      <p role="status" className="sr-only">
        {spoken}
      </p>
      {edited !== null && <EditDialog stage={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

/** The probability that the CRM gives a stage. */
const probabilityColumn: ListColumn<Stage> = {
  title: 'Probability',
  isNumber: true,
  cell: ({ probability }) => probability !== null && `${Math.round(probability * 100)}%`,
}

const columnsFor = ({
  hasProbability,
  edit,
  handleOf,
}: {
  hasProbability: boolean
  edit: (stage: Stage) => void
  handleOf: (stage: Stage) => ReactNode
}): ListColumn<Stage>[] => [
  {
    title: 'Stage',
    cell: (stage) => (
      <span className="flex items-center gap-2">
        {handleOf(stage)}
        <Badge tone={stageLooks[stage.tone].badge}>{stage.name}</Badge>
      </span>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => kindLabels[kind] },
  {
    title: 'Waits for',
    isStacked: true,
    cell: (stage) => isMoving(stage.kind) && <PlaceCell stage={stage} />,
  },
  ...(hasProbability ? [probabilityColumn] : []),
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

/** The handle by which a row is moved. */
const Handle = ({ name, ...props }: ComponentProps<'button'> & { name: string }) => (
  <button
    type="button"
    aria-label={`Move ${name}`}
    {...props}
    className="-ml-2 grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded text-ink-soft hover:bg-sunken hover:text-ink aria-pressed:cursor-grabbing pointer-coarse:size-11"
  >
    <GripVertical aria-hidden="true" className="size-4" />
  </button>
)
