import { parseSync } from 'oxc-parser'

/** An option of the router, as its docstring says. */
export interface RouterOption {
  /** Such as `scope` or `session.store`. */
  readonly name: string
  /** The docstring in Markdown, with a list of members where the option has some. */
  readonly text: string
}

/** The group of options that is shown one by one, with a dot in the name. */
const GROUP = { name: 'session', type: 'AuthSessionOptions' }

/**
 * The options of `createAuthRouter()`, in their order.
 *
 * @param source - The text of core's `options.ts`.
 */
export function membersOf(source: string): RouterOption[] {
  const { program, comments } = parseSync('options.ts', source)
  const docstringBefore = (start: number) => {
    const comment = comments.findLast(({ end }) => end <= start)
    const isIts = comment?.value.startsWith('*') && !source.slice(comment.end, start).trim()
    return isIts && comment ? textOf(comment.value) : ''
  }
  const interfaces = new Map(
    program.body.flatMap((statement) => {
      const declared = 'declaration' in statement ? statement.declaration : undefined
      if (declared?.type !== 'TSInterfaceDeclaration') return []
      const { id, body } = declared
      return [[id.name, { text: docstringBefore(statement.start), members: body.body }] as const]
    }),
  )
  type Members = NonNullable<ReturnType<typeof interfaces.get>>['members']
  const optionsOf = (members: Members | undefined, prefix = ''): RouterOption[] =>
    (members ?? []).flatMap((member) => {
      if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier') return []
      const { name } = member.key
      if (!prefix && name === GROUP.name)
        return optionsOf(interfaces.get(GROUP.type)?.members, `${name}.`)
      const annotation = member.typeAnnotation?.typeAnnotation
      const written = annotation ? source.slice(annotation.start, annotation.end) : ''
      const text = docstringBefore(member.start) || (interfaces.get(written)?.text ?? '')
      const inline = annotation?.type === 'TSTypeLiteral' ? annotation.members : undefined
      const parts = optionsOf(interfaces.get(written)?.members ?? inline, `${name}.`).map(
        (part) => `- \`${part.name.slice(name.length + 1)}\`: ${part.text.replace(/\s+/g, ' ')}`,
      )
      return [
        {
          name: prefix + name,
          text: [text, ...(parts.length ? [parts.join('\n')] : [])].join('\n\n'),
        },
      ]
    })
  return optionsOf(interfaces.get('AuthOptions')?.members)
}

/** The text of a docstring, its links as code. */
function textOf(comment: string): string {
  return comment
    .replace(/^\*/, '')
    .replace(/\n\s*\* ?/g, '\n')
    .replace(/\{@link (\w+)\}/g, '`$1`')
    .trim()
}
