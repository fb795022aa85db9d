/** A request that a guide shows as a curl command. */
export interface GuideRequest {
  url: string
  /** JSON body of a POST request; undefined for GET requests. */
  body?: string | undefined
  /** Variables that the command exports before it uses them in the URL. */
  variables: { name: string; value: string; remark: string }[]
}

const curl =
  /^curl -H "Authorization: Bearer \$TOKEN" (?:-H 'Content-Type: application\/json' -d '([^']*)' )?"(\S+)"$/

/**
 * Parses a curl command. Returns undefined if the command does more than send a single request with the
 * token.
 */
export function readRequest(command: string): GuideRequest | undefined {
  const line = command.replaceAll(/^export .*\n/gm, '').replaceAll(/ \\\n\s*/g, ' ')
  const [, body, url] = curl.exec(line) ?? []
  const variables = [...command.matchAll(/^export (\w+)=(\S+) +# (.*)$/gm)].map(
    ([, name, value, remark]) => ({
      name: name!,
      value: value!,
      remark: remark!,
    }),
  )
  return url === undefined ? undefined : { url, body, variables }
}

/** Returns a Node program that sends the request and prints the response. */
export function nodeProgram({ url, body, variables }: GuideRequest): string {
  const target = url.includes('$') ? `\`${url.replaceAll(/\$(\w+)/g, '${$1}')}\`` : `'${url}'`
  return [
    ...variables.map(({ name, value, remark }) => `const ${name} = '${value}' // ${remark}`),
    `const response = await fetch(${target}, {`,
    ...(body === undefined
      ? ['  headers: { Authorization: `Bearer ${process.env.TOKEN}` },']
      : [
          "  method: 'POST',",
          '  headers: {',
          '    Authorization: `Bearer ${process.env.TOKEN}`,',
          "    'Content-Type': 'application/json',",
          '  },',
          `  body: JSON.stringify(${indent(body, '  ')}),`,
        ]),
    '})',
    'console.log(await response.text())',
  ].join('\n')
}

/** Returns a Python program that sends the request and prints the response, including error responses. */
export function pythonProgram({ url, body, variables }: GuideRequest): string {
  const target = url.includes('$') ? `f"${url.replaceAll(/\$(\w+)/g, '{$1}')}"` : `"${url}"`
  return [
    `import ${body === undefined ? '' : 'json, '}os, urllib.error, urllib.request`,
    '',
    ...variables.map(({ name, value, remark }) => `${name} = "${value}"  # ${remark}`),
    'request = urllib.request.Request(',
    `    ${target},`,
    ...(body === undefined
      ? ['    headers={"Authorization": f"Bearer {os.environ[\'TOKEN\']}"},']
      : [
          '    headers={',
          '        "Authorization": f"Bearer {os.environ[\'TOKEN\']}",',
          '        "Content-Type": "application/json",',
          '    },',
          `    data=json.dumps(${indent(body, '    ')}).encode(),`,
        ]),
    ')',
    'try:',
    '    response = urllib.request.urlopen(request, timeout=30)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.read().decode())',
  ].join('\n')
}

/** Indents all lines of a string except the first. */
const indent = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

/** Splits a console session into commands, which begin with `$ ` or `> `, and their output. */
export function readConsole(session: string): { text: string; answer?: string } {
  const lines = session.split('\n')
  const end = lines.findIndex((line) => !/^[$>] /.test(line))
  const command = (end === -1 ? lines : lines.slice(0, end)).map((line) => line.slice(2)).join('\n')
  return end === -1 ? { text: command } : { text: command, answer: lines.slice(end).join('\n') }
}
