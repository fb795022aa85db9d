'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { Loading } from '#app/ui/loading.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { languages } from './languages.ts'

const choices = languages.map(({ name }) => ({ value: name, label: name }))

/** Shows a program that verifies the partner's last event, in the selected language. */
export function Snippets() {
  const [name, choose] = useState(languages[0]!.name)
  const { data: sample } = trpc.deliveries.sample.useQuery(undefined, { staleTime: Infinity })
  const { file, run, program } = languages.find((each) => each.name === name)!
  return (
    <Panel
      title="Verify a signature"
      about="A complete program with your last event filled in. Run it to check your secret, then copy the function into your receiver."
    >
      <SelectField
        label="Language"
        choices={choices}
        value={name}
        onChange={({ target }) => choose(target.value)}
        className="mb-4 max-w-48"
      />
      {sample === undefined ? (
        <Loading what="your last event" />
      ) : (
        <>
          <CodeBlock label={file} text={program(sample)} />
          <p className="mt-3 mb-1.5 text-ink-soft">
            Save it as <span className="font-mono text-[0.8125rem]">{file}</span>, then run it with the
            signing secret from above:
          </p>
          <CodeBlock label="Command" text={`export WEBHOOK_SECRET=whsec_…\n${run}`} />
        </>
      )}
    </Panel>
  )
}
