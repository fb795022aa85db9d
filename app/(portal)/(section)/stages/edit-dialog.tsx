'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { toast } from '#app/ui/toast.tsx'
import { useRouter } from '#app/ui/use-router.ts'
import { placeNames } from '#server/stages/place.ts'
import { type Stage, orderMax, stageKinds } from '#server/stages/stage.ts'
import { SetStage, toneChoices } from '#server/stages/wire.ts'
import { kindLabels, placeLabels, toneLabels } from './labels.ts'

const kinds = stageKinds.map((value) => ({ value, label: kindLabels[value] }))
const places = [...placeNames, 'none' as const].map((value) => ({ value, label: placeLabels[value] }))
const tones = toneChoices.map((value) => ({ value, label: toneLabels[value] }))

/** Corrects what a stage means. */
export function EditDialog({ stage, onClose }: { stage: Stage; onClose: () => void }) {
  const router = useRouter()
  const utils = trpc.useUtils()
  const {
    register,
    handleSubmit,
    formState: { errors, dirtyFields },
  } = useForm<SetStage>({
    resolver: zodResolver(SetStage),
    defaultValues: { ...stage, place: stage.place ?? 'none' },
  })
  const set = trpc.stages.set.useMutation({
    async onSuccess() {
      await Promise.all([
        utils.stages.editable.invalidate(),
        utils.deals.board.invalidate(),
        utils.deals.choices.invalidate(),
        utils.insight.overview.invalidate(),
      ])
      // The layout has read the stages for all badges.
      router.refresh()
      toast.success(`${stage.name} changed.`)
      onClose()
    },
  })
  return (
    <Dialog title={`Edit ${stage.name}`} onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (set.isPending) return
          // A colour that nobody has chosen goes on following the phase.
          set.mutate({ ...given, tone: dirtyFields.tone === true ? given.tone : undefined })
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={set.error && failureMessage(set.error)} />
        <SelectField label="Kind" choices={kinds} {...register('kind')} />
        <TextField
          label="Order"
          inputMode="numeric"
          autoComplete="off"
          hint="Lowest first, among stages of the same kind."
          {...register('order', {
            setValueAs: (text: string | number) => (text === '' ? NaN : Number(text)),
          })}
          error={errors.order && `Enter a whole number from 0 to ${orderMax.toLocaleString('en-US')}.`}
        />
        <SelectField label="Waiting for" choices={places} {...register('place')} />
        <SelectField label="Color" choices={tones} {...register('tone')} />
        <SubmitButton busy={set.isPending} className="self-start">
          Save
        </SubmitButton>
      </form>
    </Dialog>
  )
}
