'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { CreatePartner } from '#server/partners/wire.ts'
import { proposeSlug } from './propose-slug.ts'

/** Shows the form that creates a partner. */
export function CreatePartnerForm({
  onCreated,
}: {
  onCreated: (partner: { slug: string; name: string }) => void
}) {
  const { register, errors, proposeFrom, submit, isPending, problem } = useCreatePartner(onCreated)
  const { data: zones = [] } = trpc.accounts.timeZones.useQuery(undefined, { staleTime: Infinity })
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <FormProblem problem={problem} />
      <TextField
        label="Name"
        autoComplete="off"
        {...register('name', {
          onChange: ({ target }) => proposeFrom((target as HTMLInputElement).value),
        })}
        error={errors.name && 'Enter a name of at most 100 characters.'}
      />
      <TextField
        label="Slug"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="Identifies the partner in URLs, commands and import files. It cannot be changed later."
        {...register('slug')}
        error={
          errors.slug &&
          (errors.slug.type === 'taken'
            ? 'This slug is already taken.'
            : 'Use 1 to 63 lowercase letters, digits and hyphens, with no hyphen at either end.')
        }
      />
      <SelectField
        // Options that come later would leave a select at its first one.
        key={zones.length}
        label="Time zone"
        choices={[{ value: '', label: 'Where most of its deals are' }, ...zones]}
        {...register('timeZone', { setValueAs: (value: string | null) => value || null })}
      />
      <SubmitButton busy={isPending} className="self-start">
        Create partner
      </SubmitButton>
    </form>
  )
}

function useCreatePartner(onCreated: (partner: { slug: string; name: string }) => void) {
  const { partners, accounts } = trpc.useUtils()
  const {
    register,
    handleSubmit,
    setError,
    setValue,
    formState: { errors, dirtyFields, isSubmitted },
  } = useForm({ resolver: zodResolver(CreatePartner), defaultValues: { name: '', slug: '', timeZone: null } })
  const create = trpc.partners.create.useMutation({
    async onSuccess(_, given) {
      onCreated(given)
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST') setError('slug', { type: 'taken' }, { shouldFocus: true })
    },
  })
  const isTaken = create.error?.data?.code === 'BAD_REQUEST'
  return {
    register,
    errors,
    // Until the user types a slug.
    proposeFrom(name: string) {
      if (!dirtyFields.slug) setValue('slug', proposeSlug(name), { shouldValidate: isSubmitted })
    },
    submit: handleSubmit((given) => {
      if (!create.isPending) create.mutate(given)
    }),
    isPending: create.isPending,
    problem: create.error === null || isTaken ? null : failureMessage(create.error),
  }
}
