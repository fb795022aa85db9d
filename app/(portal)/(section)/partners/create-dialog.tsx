'use client'

import { zodResolver } from '@hookform/resolvers/zod'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Dialog } from '#app/ui/dialog.tsx'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { PartnerLink } from '#app/ui/link.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import { TextField } from '#app/ui/text-field.tsx'
import { CreatePartner } from '#server/partners/wire.ts'
import { proposeSlug } from './propose-slug.ts'

/** Makes a partner, and leads on to what it needs next. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { partners, accounts } = trpc.useUtils()
  const [made, setMade] = useState<{ slug: string; name: string } | null>(null)
  const {
    register,
    handleSubmit,
    setError,
    setValue,
    formState: { errors, dirtyFields, isSubmitted },
  } = useForm({ resolver: zodResolver(CreatePartner), defaultValues: { name: '', slug: '' } })
  const create = trpc.partners.create.useMutation({
    async onSuccess(_, given) {
      setMade(given)
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST') setError('slug', { type: 'taken' }, { shouldFocus: true })
    },
  })
  if (made !== null) {
    return (
      <Dialog title={`${made.name} is created`} onClose={onClose}>
        <p role="status" className="mb-4 text-pretty">
          Nobody can sign in for it yet, and it has no deals. What comes next:
        </p>
        <div className="flex flex-wrap gap-3">
          <PartnerLink href="/team" partner={made.slug} className={button.primary}>
            Invite its first admin
          </PartnerLink>
          <PartnerLink href="/imports" partner={made.slug} className={`${button.plain} h-10`}>
            Bring in its first deals
          </PartnerLink>
        </div>
      </Dialog>
    )
  }
  const problem =
    create.error === null || create.error.data?.code === 'BAD_REQUEST' ? null : failureMessage(create.error)
  return (
    <Dialog title="New partner" onClose={onClose}>
      <form
        noValidate
        onSubmit={handleSubmit((given) => {
          if (!create.isPending) create.mutate(given)
        })}
        className="flex flex-col gap-4"
      >
        <FormProblem problem={problem} />
        <TextField
          label="Name"
          autoComplete="off"
          {...register('name', {
            onChange({ target }) {
              // Proposed as long as nobody has typed another one.
              if (!dirtyFields.slug)
                setValue('slug', proposeSlug((target as HTMLInputElement).value), {
                  shouldValidate: isSubmitted,
                })
            },
          })}
          error={errors.name && 'Enter a name, in at most 100 characters.'}
        />
        <TextField
          label="Slug"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint="Names the partner in addresses, commands and files of deals. It cannot be changed later."
          {...register('slug')}
          error={
            errors.slug &&
            (errors.slug.type === 'taken'
              ? 'Another partner has this slug.'
              : 'Use 1 to 63 of the letters a to z, digits, and hyphens inside.')
          }
        />
        <SubmitButton busy={create.isPending} className="self-start">
          Create
        </SubmitButton>
      </form>
    </Dialog>
  )
}
