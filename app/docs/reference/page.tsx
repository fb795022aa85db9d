import type { Metadata } from 'next'
import { sharedServices } from '#server/runtime/services.ts'
import { GuideCode } from '../guide-code.tsx'
import { GuideLayout } from '../guide-layout.tsx'
import { reference } from '../guides.ts'
import {
  type Call,
  type FieldRow,
  type Operation,
  type Schema,
  fieldsOf,
  jsonOf,
  nameOf,
  schemas,
  sections,
  typeOf,
} from './document.ts'
import { TokenField, TokenOfPage, TryIt } from './try-it.tsx'

export const metadata: Metadata = { title: reference.title }

/** Shows the reference of the REST API, generated from the OpenAPI document. */
export default function ReferencePage() {
  return (
    <GuideLayout>
      <h1>{reference.title}</h1>
      <p>
        Every operation of the REST interface, from its <a href="/api/openapi.json">OpenAPI document</a>. The
        token stays in this page and is gone when it is closed.
      </p>
      <TokenOfPage>
        <TokenField />
        {sections.map(({ name, description, calls }) => (
          <section key={name} aria-labelledby={name}>
            <h2 id={name}>{name}</h2>
            <p>{description}</p>
            {calls.map((call) => (
              <OperationPart key={call.operation.operationId} call={call} />
            ))}
          </section>
        ))}
      </TokenOfPage>
      <section aria-labelledby="objects">
        <h2 id="objects">Objects</h2>
        {schemas.map(([name, schema]) => (
          <section key={name} aria-labelledby={`object-${name}`}>
            <h3 id={`object-${name}`}>{name}</h3>
            <Text>{schema.description}</Text>
            <Fields of={name} rows={fieldsOf(schema)} />
          </section>
        ))}
      </section>
    </GuideLayout>
  )
}

/** Shows an operation: its description, parameters, responses, and a form to try it. */
function OperationPart({ call }: { call: Call }) {
  const { method, path, operation } = call
  const { operationId: id, summary, description, parameters = [], requestBody, responses } = operation
  const body = jsonOf(requestBody?.content)
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{summary}</h3>
      {path !== null && (
        <p>
          <code>{`${method} ${path}`}</code>
        </p>
      )}
      <Text>{description}</Text>
      <Fields
        of={summary}
        heading="Parameter"
        rows={parameters.map(({ name, schema, required = false }) => ({
          path: name,
          schema,
          isRequired: required,
        }))}
      />
      {body !== undefined && (
        <>
          <p>
            The body is <TypeOf schema={body.schema} />.
          </p>
          <Fields of={`body of ${summary}`} rows={fieldsOf(body.schema)} />
          {body.example !== undefined && (
            <GuideCode codes={[{ language: 'Body', text: JSON.stringify(body.example, null, 2) }]} />
          )}
        </>
      )}
      <Responses of={summary} responses={responses} />
      {path !== null && (
        <>
          <GuideCode codes={[{ language: 'Shell', text: commandOf(call) }]} />
          <TryIt
            name={summary}
            method={method}
            path={path}
            parameters={parameters.filter((parameter) => parameter.in !== 'header')}
            body={body === undefined ? null : JSON.stringify(body.example ?? {}, null, 2)}
          />
        </>
      )}
    </section>
  )
}

/** Shows the responses of an operation by status. */
function Responses({ of, responses }: { of: string; responses: Operation['responses'] }) {
  return (
    <table aria-label={`Responses of ${of}`}>
      <thead>
        <tr>
          <th>Status</th>
          <th>Response</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(responses).map(([status, { description: about, content }]) => (
          <tr key={status}>
            <td>{status}</td>
            <td>
              <Inline text={about} /> {content !== undefined && <TypeOf schema={jsonOf(content)!.schema} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Returns the curl command that calls an operation on this installation. */
function commandOf({ method, path, operation }: Call): string {
  const body = jsonOf(operation.requestBody?.content)
  const data = `  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body?.example ?? {})}' \\\n`
  return (
    `curl -H "Authorization: Bearer $TOKEN" \\\n${body === undefined ? '' : data}` +
    `  ${method === 'GET' || body !== undefined ? '' : `-X ${method} `}"${sharedServices().config.publicUrl}${path}"`
  )
}

/**
 * Shows the fields of an object or the parameters of an operation as a table. Renders nothing if there are
 * none.
 */
function Fields({ of, heading = 'Field', rows }: { of: string; heading?: string; rows: FieldRow[] }) {
  if (rows.length === 0) return null
  return (
    <table aria-label={`${heading}s of ${of}`}>
      <thead>
        <tr>
          <th>{heading}</th>
          <th>Type</th>
          <th>Meaning</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ path, schema, isRequired }) => (
          <tr key={path}>
            <td>
              <code>{path}</code>
            </td>
            <td>
              <TypeOf schema={schema} />
              {!isRequired && ', optional'}
              {schema.default !== undefined && `, default ${JSON.stringify(schema.default)}`}
            </td>
            <td>
              <Inline text={schema.description ?? ''} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Shows a type, with a link if it is a named object. */
function TypeOf({ schema }: { schema: Schema }) {
  const name = nameOf(schema)
  return name === null ? typeOf(schema) : <a href={`#object-${name}`}>{typeOf(schema)}</a>
}

const Text = ({ children = '' }: { children: string | undefined }) => (
  <p>
    <Inline text={children} />
  </p>
)

/** Shows text in which parts in backticks are formatted as code. */
const Inline = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))
