'use client'

import { useState } from 'react'
import { trpc } from '#app/trpc.ts'
import { CodeBlock } from '#app/ui/code-block.tsx'
import { Panel } from '#app/ui/panel.tsx'
import { SelectField } from '#app/ui/select-field.tsx'
import { languages } from './languages.ts'

const choices = languages.map(({ name }) => ({ value: name, label: name }))

/** How a signature is verified, in the language of one's choice, with one's own last event. */
export function Snippets() {
  const [name, choose] = useState(languages[0]!.name)
  const { data: sample } = trpc.deliveries.sample.useQuery(undefined, { staleTime: Infinity })
  const { file, run, program } = languages.find((each) => each.name === name)!
  return (
    <Panel
      title="Verify a signature"
      about="A whole program, filled with your own last event. Run it to see that your secret is right, then take the function over into your receiver."
    >
      <SelectField
        label="Language"
        choices={choices}
        value={name}
        onChange={({ target }) => choose(target.value)}
        className="mb-4 max-w-48"
      />
      {sample === undefined ? (
        <p role="status" className="text-ink-soft">
          Loading your last event…
        </p>
      ) : (
        <>
          <CodeBlock label={file} text={program(sample)} />
          <p className="mt-3 mb-1.5 text-ink-soft">
            Save it as <span className="font-mono text-[0.8125rem]">{file}</span>, then, with the secret from
            above:
          </p>
          <CodeBlock label="How to run it" text={`export WEBHOOK_SECRET=whsec_…\n${run}`} />
        </>
      )}
    </Panel>
  )
}
