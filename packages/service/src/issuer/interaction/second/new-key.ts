import { readFactors } from '../../../domain/factors/factors.ts'
import { type Judged, judgeNewKey, type KeyFacts } from '../../../domain/factors/webauthn.ts'
import { keyScript, type Pages } from '../../../pages/index.ts'
import type { User } from '../../../store/records.ts'
import type { Form } from '../../requests/http.ts'
import { type FlowRequest, show } from '../flow/flow-request.ts'
import { creationOptions, type KeyQuestion, takeCeremony } from './key-ceremony.ts'

/** The owner of the new key, and the id of the login or session in which the key is added. */
interface KeyPlace {
  user: User
  key: string
}

/** Shows the page that adds a passkey or security key. */
export async function showNewKey(
  flow: FlowRequest,
  place: KeyPlace,
  status: number,
  form: Omit<Pages['enrolKey'], 'passkey' | 'second' | 'script'>,
): Promise<void> {
  const { context, tenant } = flow
  const question = questionOf(place)
  const factors = await readFactors(context.domain, tenant.id, tenant.settings, place.user.id)
  show(flow, status, 'enrolKey', {
    ...form,
    passkey: await creationOptions(flow, question, factors.allKeys, 'passkey'),
    second: await creationOptions(flow, question, factors.allKeys, 'second_step'),
    script: keyScript.path,
  })
}

/** Verifies the key's response in the form. The field `use` decides the purpose of the key. */
export async function judgeForm(
  flow: FlowRequest,
  place: KeyPlace,
  form: Form,
): Promise<Judged<{ facts: KeyFacts }>> {
  const purpose = form.get('use') === 'second' ? 'second_step' : 'passkey'
  const ceremony = await takeCeremony(flow, questionOf(place), purpose === 'passkey')
  if (!ceremony) return { kind: 'refused', reason: 'wrong_challenge' }
  return judgeNewKey(ceremony, form.get('credential') ?? '', purpose)
}

function questionOf({ key, user }: KeyPlace): KeyQuestion & { user: User } {
  return { purpose: 'enrol', place: key, user }
}
