'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { toast } from '#app/ui/toast.tsx'
import { type Stage, stageKinds } from '#server/stages/stage.ts'
import { SetStage, toneChoices } from '#server/stages/wire.ts'
import { kindLabels, toneLabels } from './labels.ts'
import { useStagesChanged } from './use-stages-changed.ts'

const kinds = stageKinds.map((value) => ({ value, label: kindLabels[value] }))
const tones = toneChoices.map((value) => ({ value, label: toneLabels[value] }))

/** Corrects the kind and the colour of a stage. */
export function EditDialog({ stage, onClose }: { stage: Stage; onClose: () => void }) {
  const changed = useStagesChanged()
  const {
    register,
    handleSubmit,
    formState: { dirtyFields },
  } = useForm<SetStage>({
    resolver: zodResolver(SetStage),
    defaultValues: { name: stage.name, kind: stage.kind, tone: stage.tone },
  })
  const set = trpc.stages.set.useMutation({
    async onSuccess() {
      await changed()
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
        <SelectField label="Color" choices={tones} {...register('tone')} />
        <SubmitButton busy={set.isPending} className="self-start">
          Save
        </SubmitButton>
      </form>
    </Dialog>
  )
}
