import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Badge } from '#app/ui/badge.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { placeNames } from '#server/stages/place.ts'
import type { SetStage } from '#server/stages/wire.ts'
import { RowButton } from '../row-button.tsx'
import { placeLabels } from './labels.ts'
import type { Stage } from './stage.ts'
import { useStagesChanged } from './use-stages-changed.ts'

const places = [...placeNames, 'none' as const].map((value) => ({ value, label: placeLabels[value] }))

/** What the deals of a stage wait for, saved when it is chosen; marked while nobody has confirmed it. */
export function PlaceCell({ stage: { name, place, isPlaceProposed } }: { stage: Stage }) {
  const changed = useStagesChanged()
  const set = trpc.stages.set.useMutation({
    onSettled: changed,
    onError: (error) => toast.error(`${name} was not saved. ${failureMessage(error)}`),
  })
  const shown = place ?? 'none'
  const save = (chosen: SetStage['place']) => set.mutate({ name, place: chosen })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SelectField
        label={`What ${name} waits for`}
        isLabelShown={false}
        choices={places}
        value={set.isPending ? set.variables.place : shown}
        onChange={({ target }) => save(target.value as SetStage['place'])}
        className="w-full sm:w-60"
      />
      {isPlaceProposed && !set.isPending && (
        <>
          <Badge tone="neutral">{place === null ? 'Not set' : 'Proposed'}</Badge>
          <RowButton busy={false} name={name} onClick={() => save(shown)}>
            Confirm
          </RowButton>
        </>
      )}
    </div>
  )
}
