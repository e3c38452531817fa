/** The sentences for refused writes of webhook endpoints, and for the results of a test. */
export const webhooks = {
  webhook_accepted: {
    en: 'Accepted: {answer}, after {millis} ms.',
    de: 'Angenommen: {answer}, nach {millis} ms.',
  },
  webhook_not_accepted: {
    en: 'Not accepted: {answer}, after {millis} ms.',
    de: 'Nicht angenommen: {answer}, nach {millis} ms.',
  },
  webhook_status: {
    en: 'answer {status}',
    de: 'Antwort {status}',
  },
  webhook_off: {
    en: 'The endpoint is switched off. Switch it on first.',
    de: 'Der Endpunkt ist ausgeschaltet. Schalten Sie ihn zuerst ein.',
  },
  webhooks_full: {
    en: 'The tenant has {count} endpoints; that is as many as it can have. Delete one first.',
    de: 'Der Mandant hat {count} Endpunkte; mehr kann er nicht haben. Löschen Sie zuerst einen.',
  },
  webhook_url: {
    en: '"url": {reason}',
    de: '„url“: {reason}',
  },
  webhook_type: {
    en: '"{type}" is not a type of events; did you mean "{nearest}"?',
    de: '„{type}“ ist keine Art von Ereignissen; meinen Sie „{nearest}“?',
  },
  webhook_type_of: {
    en: '"{type}" is not a type of events; the types are: {all}.',
    de: '„{type}“ ist keine Art von Ereignissen; es gibt: {all}.',
  },
} as const
