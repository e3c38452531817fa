/** The sentences for refused writes of operators, API keys and jobs. */
export const operators = {
  operator_needs_key: {
    en: 'Operators who are logged in on a command line cannot do this. Use the console, or an API key.',
    de: 'Das können Operatoren nicht, die auf einer Befehlszeile angemeldet sind. Verwenden Sie die Konsole oder einen API-Schlüssel.',
  },
  operator_role: {
    en: 'Your role is {own}. The roles that may do this: {roles}.',
    de: 'Ihre Rolle ist {own}. Das dürfen diese Rollen: {roles}.',
  },
  operator_login_old: {
    en: 'This needs a login of the last five minutes. Run "latchkey login" again.',
    de: 'Das braucht eine Anmeldung der letzten fünf Minuten. Führen Sie „latchkey login“ noch einmal aus.',
  },
  impersonation_off: {
    en: 'The tenant does not allow operators to log in as a user ("latchkey_impersonation").',
    de: 'Der Mandant erlaubt Operatoren nicht, sich als Benutzer anzumelden („latchkey_impersonation“).',
  },
  impersonation_reason: {
    en: 'Write the reason, in {least} to {most} characters. The user reads it.',
    de: 'Schreiben Sie den Grund, mit {least} bis {most} Zeichen. Der Benutzer liest ihn.',
  },
  impersonation_open: {
    en: 'You have already asked to log in as this user, or the user declined less than a day ago.',
    de: 'Sie haben schon angefragt, sich als dieser Benutzer anzumelden, oder der Benutzer hat es vor weniger als einem Tag abgelehnt.',
  },
  impersonation_not_ready: {
    en: 'This login cannot begin, or not any more: the user has not agreed, its time is over, or the setting has changed.',
    de: 'Diese Anmeldung kann nicht oder nicht mehr beginnen: Der Benutzer hat nicht zugestimmt, ihre Zeit ist vorbei, oder die Einstellung hat sich geändert.',
  },
  impersonation_role: {
    en: 'Your role, or the tenants that you see, do not allow you to log in as this user.',
    de: 'Ihre Rolle oder die Mandanten, die Sie sehen, erlauben Ihnen nicht, sich als dieser Benutzer anzumelden.',
  },
  impersonation_of_operator: {
    en: 'No operator can log in as another operator: the address of this user is that of one.',
    de: 'Kein Operator kann sich als ein anderer anmelden: Die Adresse dieses Benutzers gehört einem.',
  },
  impersonation_of_locked: {
    en: 'The user is disabled or locked. No operator can log in as such a user.',
    de: 'Der Benutzer ist gesperrt. Als ein solcher kann sich kein Operator anmelden.',
  },
  impersonation_of_held: {
    en: 'The address of the user is new and waits for a second operator.',
    de: 'Die Adresse des Benutzers ist neu und wartet auf einen zweiten Operator.',
  },
  impersonation_of_unverified: {
    en: 'The address of the user is not verified, so the user could not be told.',
    de: 'Die Adresse des Benutzers ist nicht bestätigt. Der Benutzer könnte nichts davon erfahren.',
  },
  job_not_undone: {
    en: 'The job cannot be undone: it runs, or its act has no opposite.',
    de: 'Der Auftrag kann nicht rückgängig gemacht werden: Er läuft, oder es gibt kein Gegenteil.',
  },
  job_not_running: {
    en: 'The job is not running.',
    de: 'Der Auftrag läuft nicht.',
  },
  operator_last_owner: {
    en: 'This is the only owner who can log in. Invite another owner, who accepts, first.',
    de: 'Das ist der einzige Inhaber, der sich anmelden kann. Laden Sie zuerst einen anderen ein, der annimmt.',
  },
  operator_exists: {
    en: 'This address is an operator’s already. To give another role, change the role. If all ways to log in are lost, run "latchkey-service operator recover".',
    de: 'Diese Adresse gehört schon einem Operator. Für eine andere Rolle ändern Sie die Rolle. Sind alle Anmeldemethoden verloren, führen Sie „latchkey-service operator recover“ aus.',
  },
  operator_recovered: {
    en: 'This operator is being recovered. Only the command line makes that link again: run "latchkey-service operator recover" once more.',
    de: 'Dieser Operator wird gerade wiederhergestellt. Nur die Befehlszeile erstellt diesen Link neu: Führen Sie „latchkey-service operator recover“ noch einmal aus.',
  },
  operator_invited_to_all: {
    en: 'This address was invited as {role}, for all tenants. Change the role or the tenants of that operator first, or invite to the same.',
    de: 'Diese Adresse wurde als {role} eingeladen, für alle Mandanten. Ändern Sie zuerst die Rolle oder die Mandanten dieses Operators, oder laden Sie zu denselben ein.',
  },
  operator_invited_to_others: {
    en: 'This address was invited as {role}, for other tenants. Change the role or the tenants of that operator first, or invite to the same.',
    de: 'Diese Adresse wurde als {role} eingeladen, für andere Mandanten. Ändern Sie zuerst die Rolle oder die Mandanten dieses Operators, oder laden Sie zu denselben ein.',
  },
  operator_needs_tenant: {
    en: 'An operator needs at least one tenant, or all.',
    de: 'Ein Operator braucht mindestens einen Mandanten oder alle.',
  },
  key_needs_tenant: {
    en: 'A key needs at least one tenant, or all of them.',
    de: 'Ein Schlüssel braucht mindestens einen Mandanten oder alle.',
  },
  key_expires_too_late: {
    en: 'A key must expire before 2250-01-01, or never.',
    de: 'Ein Schlüssel muss vor dem 2250-01-01 ablaufen oder nie.',
  },
  key_unknown: {
    en: 'Send "Authorization: Bearer <API key>" with a key that is known, not revoked and not expired.',
    de: 'Senden Sie „Authorization: Bearer <API-Schlüssel>“ mit einem Schlüssel, der bekannt, nicht widerrufen und nicht abgelaufen ist.',
  },
  key_too_fast: {
    en: 'This API key may make {most} requests per second; wait {seconds} s.',
    de: 'Dieser API-Schlüssel darf {most} Anfragen pro Sekunde senden; warten Sie {seconds} s.',
  },
  key_read_only: {
    en: 'This API key is read-only; it opens GET requests. Use a key that may write.',
    de: 'Dieser API-Schlüssel darf nur lesen, also GET-Anfragen senden. Nehmen Sie einen Schlüssel, der schreiben darf.',
  },
  key_no_name: {
    en: 'Give the key a name.',
    de: 'Geben Sie dem Schlüssel einen Namen.',
  },
  key_days: {
    en: 'Give the days for which the key is good: 1 to 3650.',
    de: 'Geben Sie an, wie viele Tage der Schlüssel gilt: 1 bis 3650.',
  },
  role_unknown: {
    en: 'Choose a role: owner, admin, support or viewer.',
    de: 'Wählen Sie eine Rolle: Inhaber, Admin, Support oder Leser.',
  },
  job_unknown: {
    en: 'Choose what to do with the users.',
    de: 'Wählen Sie, was mit den Benutzern geschehen soll.',
  },
  job_no_user: {
    en: 'Choose at least one user.',
    de: 'Wählen Sie mindestens einen Benutzer.',
  },
  import_gone: {
    en: 'This import waits no longer: it was begun or discarded. Open its page again.',
    de: 'Dieser Import wartet nicht mehr: Er wurde begonnen oder verworfen. Öffnen Sie seine Seite noch einmal.',
  },
  import_too_many: {
    en: 'A file may have 500,000 users at most here. Use the command "latchkey users import" for more.',
    de: 'Eine Datei darf hier höchstens 500.000 Benutzer enthalten. Für mehr nehmen Sie den Befehl „latchkey users import“.',
  },
  import_too_large: {
    en: 'The file is larger than 50 MB. Use the command "latchkey users import".',
    de: 'Die Datei ist größer als 50 MB. Nehmen Sie den Befehl „latchkey users import“.',
  },
  import_empty: {
    en: 'The file has no user in it.',
    de: 'Die Datei enthält keinen Benutzer.',
  },
} as const
