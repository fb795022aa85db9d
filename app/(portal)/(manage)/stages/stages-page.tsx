'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { ArrowUpDown, ListOrdered, Merge, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { type Outputs, trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { ConfirmDialog } from '#app/ui/confirm.tsx'
import { Dialog, DialogForm } from '#app/ui/dialog.tsx'
import { failureMessage, refusalMessage } from '#app/ui/failure-message.ts'
import { SelectField } from '#app/ui/fields.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { useRouter } from '#app/ui/link.tsx'
import { type ListColumn, ListTable } from '#app/ui/list.tsx'
import { MenuItem, MenuLine, RowMenu } from '#app/ui/menu.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHead } from '#app/ui/page-head.tsx'
import { QueryState } from '#app/ui/states.tsx'
import { done, toastRefusal } from '#app/ui/toast-failure.ts'
import { toast } from '#app/ui/toast.tsx'
import { placeNames, type StagePlace } from '#server/stages/place.ts'
import { isMoving, type StageKind, stageKinds, type StageTone } from '#server/stages/stage.ts'
import { SetStage, toneChoices } from '#server/stages/wire.ts'
import { stageLooks } from '../../deals/stages-of-page.tsx'
import { moveBehind, nameBefore, namesBeside } from './rows.ts'

/** Shows all stages in order and lets operators correct them. */
export function StagesPage() {
  const query = trpc.stages.editable.useQuery()
  return (
    <>
      <PageHead
        title="Stages"
        about="New stages are classified by name. Confirm what their deals wait for. Stages without deals can be removed. Applies to all partners."
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

function StageTable({ stages }: { stages: Stage[] }) {
  const [action, setAction] = useState<StageAction | null>(null)
  const close = () => setAction(null)
  const columns = columnsFor({
    hasProbability: stages.some(({ probability }) => probability !== null),
    hasOthers: stages.length > 1,
    canMove: ({ name }) => namesBeside(stages, name).length > 1,
    act: setAction,
  })
  return (
    <>
      <ListTable label="Stages" columns={columns} rows={stages} keyOf={({ name }) => name} />
      {action?.name === 'edit' && <EditDialog stage={action.stage} onClose={close} />}
      {action?.name === 'move' && <MoveDialog stage={action.stage} stages={stages} onClose={close} />}
      {action?.name === 'merge' && <MergeDialog stage={action.stage} stages={stages} onClose={close} />}
      {action?.name === 'remove' && <RemoveDialog stage={action.stage} onClose={close} />}
    </>
  )
}

/** The stage whose dialog is open, and the kind of dialog. */
interface StageAction {
  name: 'edit' | 'move' | 'merge' | 'remove'
  stage: Stage
}

/** Shows the stage's win probability in the CRM. */
const probabilityColumn: ListColumn<Stage> = {
  title: 'Probability',
  isNumber: true,
  cell: ({ probability }) => probability !== null && `${Math.round(probability * 100)}%`,
}

const columnsFor = ({
  hasProbability,
  hasOthers,
  canMove,
  act,
}: {
  hasProbability: boolean
  hasOthers: boolean
  canMove: (stage: Stage) => boolean
  act: (action: StageAction) => void
}): ListColumn<Stage>[] => [
  {
    title: 'Stage',
    cell: (stage) => (
      <span className="flex items-center gap-2">
        <Badge tone={stageLooks[stage.tone].badge}>{stage.name}</Badge>
        {!isMoving(stage.kind) && <span className="font-normal text-ink-soft">{kindLabels[stage.kind]}</span>}
        {!stage.hasDeals && <span className="font-normal text-ink-soft">No deals</span>}
      </span>
    ),
  },
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
      <RowMenu about={stage.name}>
        <MenuItem icon={Pencil} onSelect={() => act({ name: 'edit', stage })}>
          Edit
        </MenuItem>
        {canMove(stage) && (
          <MenuItem icon={ArrowUpDown} onSelect={() => act({ name: 'move', stage })}>
            Move
          </MenuItem>
        )}
        {!stage.hasDeals && (
          <>
            <MenuLine />
            {hasOthers && (
              <MenuItem icon={Merge} onSelect={() => act({ name: 'merge', stage })}>
                Merge into another stage
              </MenuItem>
            )}
            <MenuItem icon={Trash2} isDestructive onSelect={() => act({ name: 'remove', stage })}>
              Remove
            </MenuItem>
          </>
        )}
      </RowMenu>
    ),
  },
]

/** Confirms all suggested values on the page. */
function ConfirmAll({ stages }: { stages: Stage[] }) {
  const changed = useStagesChanged()
  const confirm = trpc.stages.confirm.useMutation({
    onSettled: changed,
    onSuccess: (confirmed) => toast.success(`${formatCountOf(confirmed.length, 'proposal')} confirmed.`),
    onError: (error) =>
      toast.error(
        error.data?.code === 'PRECONDITION_FAILED'
          ? 'These proposals were changed elsewhere. The table shows them as they are now.'
          : failureMessage(error),
      ),
  })
  const names = stages.flatMap(({ name, place, isPlaceProposed }) =>
    isPlaceProposed && place !== null ? [name] : [],
  )
  if (names.length === 0) return null
  return (
    <Button onClick={() => confirm.mutate({ names })} busy={confirm.isPending}>
      Confirm all proposals
    </Button>
  )
}

const kindLabels: Record<StageKind, string> = { open: 'Open', 'on-hold': 'On hold', won: 'Won', lost: 'Lost' }

/** Labels of what a stage's deals may be waiting for. */
const placeLabels: Record<StagePlace | 'none', string> = {
  survey: 'Site survey',
  cad: 'CAD design',
  engineering: 'Engineering',
  ntp: 'Notice to proceed',
  ntpApproved: 'Permit submission or install',
  hoa: 'HOA approval',
  permitSubmission: 'Permit submission',
  permit: 'Permit',
  install: 'Install',
  installed: 'Inspection or funding',
  inspection: 'Inspection',
  funding: 'Funding submission',
  m2: 'M2 approval',
  pto: 'M2 approval or payment',
  payment: 'Payment',
  none: 'Not known',
}

const toneLabels: Record<StageTone | 'auto', string> = {
  auto: 'By phase',
  gray: 'Gray',
  blue: 'Blue',
  violet: 'Violet',
  teal: 'Teal',
  green: 'Green',
}

/** A stage with its description in the CRM; `isPlaceProposed` is true if its place is only suggested. */
type Stage = Outputs['stages']['editable'][number]

const places = [...placeNames, 'none' as const].map((value) => ({ value, label: placeLabels[value] }))

/** Selects what a stage's deals are waiting for. Marks a suggested value until it is confirmed. */
function PlaceCell({ stage: { name, place, isPlaceProposed } }: { stage: Stage }) {
  const changed = useStagesChanged()
  const set = trpc.stages.set.useMutation({
    onSettled: changed,
    onError: (error) => toast.error(`${name} was not saved. ${failureMessage(error)}`),
  })
  const current = place ?? 'none'
  const save = (chosen: SetStage['place']) => set.mutate({ name, place: chosen })
  return (
    <div className="flex items-center gap-2 sm:flex-wrap">
      <SelectField
        label={`What ${name} waits for`}
        isLabelShown={false}
        choices={places}
        value={set.isPending ? set.variables.place : current}
        onChange={({ target }) => save(target.value as SetStage['place'])}
        className="flex-1 sm:w-60 sm:flex-none"
      />
      {isPlaceProposed && !set.isPending && (
        <>
          <span className="max-sm:hidden">
            <Badge tone="neutral">{place === null ? 'Not set' : 'Proposed'}</Badge>
          </span>
          <Button onClick={() => save(current)} about={name}>
            Confirm
          </Button>
        </>
      )}
    </div>
  )
}

const kinds = stageKinds.map((value) => ({ value, label: kindLabels[value] }))
const tones = toneChoices.map((value) => ({ value, label: toneLabels[value] }))

/** Edits the kind and color of a stage. */
function EditDialog({ stage, onClose }: { stage: Stage; onClose: () => void }) {
  const changed = useStagesChanged()
  const { register, handleSubmit, formState } = useForm<SetStage>({
    resolver: zodResolver(SetStage),
    defaultValues: { name: stage.name, kind: stage.kind, tone: stage.tone },
  })
  const { dirtyFields } = formState
  const set = trpc.stages.set.useMutation(done(changed, `${stage.name} changed.`, onClose))
  return (
    <Dialog title={`Edit ${stage.name}`} onClose={onClose}>
      <DialogForm
        onSubmit={handleSubmit((values) =>
          // Leave an unedited color undefined, so that the color keeps following the kind of the stage.
          set.mutate({ ...values, tone: dirtyFields.tone === true ? values.tone : undefined }),
        )}
        problem={set.error && failureMessage(set.error)}
        busy={set.isPending}
        submit="Save"
        onCancel={onClose}
      >
        <SelectField label="Kind" choices={kinds} {...register('kind')} />
        <SelectField label="Color" choices={tones} {...register('tone')} />
      </DialogForm>
    </Dialog>
  )
}

interface StageDialog {
  stage: Stage
  stages: Stage[]
  onClose: () => void
}

/** Select value of the first position. No stage has an empty name. */
const first = ''

function MoveDialog({ stage: { name }, stages, onClose }: StageDialog) {
  const names = namesBeside(stages, name)
  const changed = useStagesChanged()
  const [after, setAfter] = useState(nameBefore(names, name) ?? first)
  const move = trpc.stages.move.useMutation({ onSettled: changed, onSuccess: onClose })
  const problem =
    move.error?.data?.code === 'PRECONDITION_FAILED'
      ? 'The order was changed elsewhere. Check it, then move the stage again.'
      : move.error && failureMessage(move.error)
  function submit() {
    const made = moveBehind(names, name, after === first ? null : after)
    if (made === null) onClose()
    else move.mutate(made)
  }
  return (
    <Dialog title={`Move ${name}`} onClose={onClose}>
      <DialogForm onSubmit={submit} problem={problem} busy={move.isPending} submit="Move" onCancel={onClose}>
        <SelectField
          label="After"
          choices={[
            { value: first, label: 'None (first)' },
            ...names.filter((each) => each !== name).map((value) => ({ value, label: value })),
          ]}
          value={after}
          onChange={({ target }) => setAfter(target.value)}
        />
      </DialogForm>
    </Dialog>
  )
}

/** Merges a stage without deals into another. */
function MergeDialog({ stage: { name }, stages, onClose }: StageDialog) {
  const changed = useStagesChanged()
  const [into, setInto] = useState('')
  const merge = trpc.stages.merge.useMutation({
    onSettled: changed,
    onSuccess() {
      toast.success(`${name} merged into ${into}.`)
      onClose()
    },
  })
  const others = stages.filter((stage) => stage.name !== name)
  return (
    <Dialog title={`Merge ${name}`} onClose={onClose}>
      <DialogForm
        onSubmit={() => merge.mutate({ name, into })}
        problem={merge.error && refusalMessage(merge.error)}
        busy={merge.isPending}
        submit="Merge"
        isDestructive
        isReady={into !== ''}
        onCancel={onClose}
      >
        <p className="text-pretty text-ink-soft">
          {name} is removed. Imports and CRMs that use this name put their deals in the stage you choose.
        </p>
        <SelectField
          label="Merge into"
          choices={[
            { value: '', label: 'Choose a stage' },
            ...others.map((stage) => ({ value: stage.name, label: stage.name })),
          ]}
          value={into}
          onChange={({ target }) => setInto(target.value)}
        />
      </DialogForm>
    </Dialog>
  )
}

/** Removes a stage without deals. */
function RemoveDialog({ stage: { name }, onClose }: { stage: Stage; onClose: () => void }) {
  const changed = useStagesChanged()
  const remove = trpc.stages.remove.useMutation({
    onSettled: changed,
    onSuccess: () => toast.success(`${name} removed.`),
    onError: toastRefusal,
  })
  return (
    <ConfirmDialog
      title={`Remove ${name}?`}
      yes="Remove stage"
      isDestructive
      onYes={() => remove.mutate({ name })}
      onClose={onClose}
    >
      No deal is in this stage. If an import or a CRM uses it again, it is added as a new stage. To avoid
      that, merge it into another.
    </ConfirmDialog>
  )
}

/** Returns a function that invalidates every query that depends on stages. */
function useStagesChanged(): () => Promise<void> {
  const router = useRouter()
  const utils = trpc.useUtils()
  return async () => {
    await Promise.all([
      utils.stages.editable.invalidate(),
      utils.deals.board.invalidate(),
      utils.deals.choices.invalidate(),
      utils.insight.home.invalidate(),
    ])
    // The layout loads the stages on the server.
    router.refresh()
  }
}
