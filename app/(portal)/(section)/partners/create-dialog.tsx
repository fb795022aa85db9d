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

/** Creates a partner, then links to its next steps. */
export function CreatePartnerDialog({ onClose }: { onClose: () => void }) {
  const { partners, accounts } = trpc.useUtils()
  const [created, setCreated] = useState<{ slug: string; name: string } | null>(null)
  const {
    register,
    handleSubmit,
    setError,
    setValue,
    formState: { errors, dirtyFields, isSubmitted },
  } = useForm({ resolver: zodResolver(CreatePartner), defaultValues: { name: '', slug: '' } })
  const create = trpc.partners.create.useMutation({
    async onSuccess(_, given) {
      setCreated(given)
      await Promise.all([partners.list.invalidate(), accounts.partners.invalidate()])
    },
    onError({ data }) {
      if (data?.code === 'BAD_REQUEST') setError('slug', { type: 'taken' }, { shouldFocus: true })
    },
  })
  if (created !== null) {
    return (
      <Dialog title={`${created.name} created`} onClose={onClose}>
        <p role="status" className="mb-4 text-pretty">
          It has no users and no deals yet. Next steps:
        </p>
        <div className="flex flex-wrap gap-3">
          <PartnerLink href="/team" partner={created.slug} className={button.primary}>
            Invite an admin
          </PartnerLink>
          <PartnerLink href="/imports" partner={created.slug} className={`${button.plain} h-10`}>
            Import deals
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
              // Proposed until the user types a slug.
              if (!dirtyFields.slug)
                setValue('slug', proposeSlug((target as HTMLInputElement).value), {
                  shouldValidate: isSubmitted,
                })
            },
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
        <SubmitButton busy={create.isPending} className="self-start">
          Create partner
        </SubmitButton>
      </form>
    </Dialog>
  )
}
