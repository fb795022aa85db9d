'use client'

import { useState } from 'react'
import { refusalMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { FormProblem } from '#app/ui/form-problem.tsx'
import { formatCountOf } from '#app/ui/format.ts'
import { ListTable } from '#app/ui/list-table.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { SubmitButton } from '#app/ui/submit-button.tsx'
import type { NewStage } from '#server/stages/spelling.ts'
import type { Import } from '../labels.ts'
import { ImportPart } from './part.tsx'

/** Shows the stages of a file that are not here, and lets the operator say which of those that are is meant. */
export function NewStages({ found, added }: { found: Pick<Import, 'id' | 'stages'>; added: NewStage[] }) {
  const { id, stages: before } = found
  const { imports } = trpc.useUtils()
  const known = trpc.stages.editable.useQuery()
  const [chosen, setChosen] = useState<Record<string, string>>(before)
  const choose = trpc.imports.chooseStages.useMutation({ onSuccess: () => imports.one.invalidate({ id }) })
  const meantBy = ({ name, isUnsure }: NewStage) => chosen[name] ?? (isUnsure ? '' : name)
  const isChanged = added.some(({ name }) => chosen[name] !== before[name])
  return (
    <ImportPart
      title="New stages"
      about="They are added when you import, unless you say that another one is meant. Rows whose stage is much like another one are rejected until you do."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          const stages = added.flatMap((stage) => {
            const means = meantBy(stage)
            return means === '' ? [] : [{ name: stage.name, means }]
          })
          if (!choose.isPending) choose.mutate({ id, stages })
        }}
      >
        <FormProblem problem={choose.error && refusalMessage(choose.error)} />
        <ListTable
          label="New stages"
          columns={[
            { title: 'Stage', cell: ({ name }) => <span className="wrap-anywhere">{name}</span> },
            { title: 'Rows', cell: ({ deals }) => formatCountOf(deals, 'row') },
            {
              title: 'Import as',
              cell: (stage) => (
                <SelectField
                  label={`Import ${stage.name} as`}
                  isLabelShown={false}
                  className="w-64 max-w-full"
                  choices={choicesOf(stage, known.data?.map(({ name }) => name) ?? [])}
                  value={meantBy(stage)}
                  onChange={({ currentTarget: { value } }) => setChosen({ ...chosen, [stage.name]: value })}
                />
              ),
            },
          ]}
          rows={added}
          keyOf={({ name }) => name}
        />
        <SubmitButton look="plain" busy={choose.isPending} disabled={!isChanged} className="h-10 self-start">
          Check with these stages
        </SubmitButton>
      </form>
    </ImportPart>
  )
}

/** Returns what a new stage can mean: the likeliest first. */
function choicesOf({ name, likely, isUnsure }: NewStage, known: string[]) {
  const others = known.filter((each) => !likely.includes(each))
  return [
    ...(isUnsure ? [{ value: '', label: 'Choose…' }] : []),
    { value: name, label: 'A new stage' },
    ...[...likely, ...others].map((each) => ({ value: each, label: each })),
  ]
}
