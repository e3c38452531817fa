import type { Texts } from './en.ts'

/** The texts of pages and mails in German. */
export const de: Texts = {
  continueTo: 'Weiter zu {application}',
  startAgain: 'Bei {application} neu beginnen',
  startAgainHint:
    'Gehen Sie zurück zu der Anwendung, von der Sie kamen, und melden Sie sich dort an.',
  support: 'Brauchen Sie Hilfe? Schreiben Sie an {email}.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  name: 'Ihr Name',
  optional: 'freiwillig',
  notYou: 'Nicht Sie?',
  backToLogin: 'Zurück zur Anmeldung',
  showPassword: 'Passwort anzeigen',
  showNewPassword: 'Neues Passwort anzeigen',
  showCurrentPassword: 'Jetziges Passwort anzeigen',
  passwordRuleLength: 'Mindestens {least} Zeichen. Gut sind ein paar Wörter ohne Zusammenhang.',
  passwordRuleCommon: 'Kein häufiges Passwort.',
  passwordRuleLeaked: 'Kein häufiges Passwort und keines, das aus einem Datenleck bekannt ist.',
  passwordRuleName: 'Nicht Ihr oder unser Name und nicht Ihre E-Mail-Adresse.',

  loginTitle: 'Bei {company} anmelden',
  loginTitlePlain: 'Anmelden',
  loginButton: 'Anmelden',
  loginFailed:
    'Die E-Mail-Adresse oder das Passwort ist falsch. Wenn Sie noch kein Passwort haben, setzen Sie eines über „Passwort vergessen?“.',
  loginReset: 'Ihr neues Passwort ist gesetzt. Melden Sie sich damit an.',
  loginForgot: 'Passwort vergessen?',
  loginSignupQuestion: 'Noch kein Konto?',
  loginSignup: 'Konto anlegen',
  loginOffTitle: 'Die Anmeldung ist ausgeschaltet',
  loginOffText: 'Sie können sich hier zurzeit nicht anmelden.',
  loginOr: 'oder',
  loginCodeTitle: 'Geben Sie den Code ein',
  loginCodeText:
    'Wenn es ein Konto für {email} gibt, haben wir einen Code dorthin geschickt. Er gilt zehn Minuten.',
  loginCodeExpired: 'Dieser Code ist abgelaufen. Fordern Sie einen neuen an.',
  loginPasskey: 'Mit Passkey anmelden',
  socialContinue: 'Weiter mit {name}',
  socialLink:
    'Für {email} gibt es schon ein Konto. Melden Sie sich dort einmal an, um {name} zu verbinden.',
  socialUnreachable:
    'Wir konnten {name} nicht erreichen. Nehmen Sie einen anderen Weg oder versuchen Sie es noch einmal.',
  socialDenied:
    '{name} hat Sie nicht angemeldet, oder Sie haben abgebrochen. Nehmen Sie einen anderen Weg oder versuchen Sie es noch einmal.',
  socialOther:
    'Mit dieser Adresse ist ein anderes Konto bei {name} verbunden. Melden Sie sich auf einem anderen Weg an; auf der Seite Ihres Kontos können Sie es trennen.',
  socialStale:
    '{name} sagt nicht, dass Sie sich dort gerade eben angemeldet haben, und hierfür ist eine frische Anmeldung nötig. Melden Sie sich dort ab und versuchen Sie es noch einmal, oder nehmen Sie einen anderen Weg.',
  socialFailed:
    'Die Anmeldung bei {name} hat nicht geklappt. Nehmen Sie einen anderen Weg oder versuchen Sie es noch einmal.',
  socialOff: 'Diese Anmeldemethode ist ausgeschaltet. Nehmen Sie eine andere.',
  socialNoAddress:
    '{name} hat uns Ihre E-Mail-Adresse nicht mitgeteilt. Melden Sie sich auf einem anderen Weg an und verbinden Sie {name} dann auf der Seite Ihres Kontos.',
  socialNoAccount:
    'Hier ist kein Konto mit {name} verbunden, und auf diesem Weg entsteht keins. Nehmen Sie einen anderen.',
  socialRefused:
    'Mit diesem Konto bei {name} können Sie sich nicht anmelden. Nehmen Sie einen anderen Weg.',
  socialTaken: 'Dieses Konto bei {name} ist schon mit einem anderen Konto verbunden.',
  socialAddressText:
    '{name} nennt {email} als Ihre E-Mail-Adresse. Bestätigen Sie sie mit einem Code, den wir dorthin schicken.',
  loginAgain: 'Bitte geben Sie Ihr Passwort noch einmal ein, um fortzufahren.',
  loginStronger:
    'Die Anwendung wünscht eine stärkere Anmeldung: Melden Sie sich mit Ihrem Passwort oder Passkey an. Um ohne sie fortzufahren, melden Sie sich noch einmal auf demselben Weg an.',

  selectTitle: 'Konto wählen',
  selectNative:
    'Die App {application} auf diesem Gerät möchte Sie anmelden. Fahren Sie nur fort, wenn Sie sie gerade geöffnet haben.',
  selectContinue: 'Weiter als {email}',
  selectOther: 'Anderes Konto verwenden',
  consentTitle: 'Zugriff erlauben?',
  consentText: 'Ein Programm von {host} bittet um Zugriff auf das Konto {email}.',
  consentName:
    'Es nennt sich selbst „{name}“. Diesen Namen haben wir nicht geprüft; verlassen Sie sich auf die Adresse oben.',
  consentNoName: 'Es nennt keinen Namen. Verlassen Sie sich auf die Adresse oben.',
  consentDeviceText: 'Ein Programm auf Ihrem Gerät bittet um Zugriff auf das Konto {email}.',
  consentDeviceName: 'Es nennt sich selbst „{name}“. Diesen Namen haben wir nicht geprüft.',
  consentAsks: 'Wenn Sie es erlauben, kann es',
  consentApi: 'Bei {application}:',
  consentApiPlain: 'In Ihrem Namen handeln',
  consentAccount: 'Mit Ihrem Konto hier:',
  consentIdentity: 'Sie wiedererkennen, wenn Sie zurückkommen',
  consentProfile: 'Ihren Namen und Ihr Profil sehen',
  consentEmail: 'Ihre E-Mail-Adresse sehen',
  consentOffline: 'Diesen Zugriff auch in Ihrer Abwesenheit behalten, bis zu ein Jahr lang',
  consentSession: 'Diesen Zugriff behalten, bis Sie sich hier abmelden',
  consentGoesTo: 'Sie werden zu {host} geschickt; diesen Zugriff erhält die Seite dort.',
  consentDevice:
    'Ein Programm auf diesem Gerät erhält diesen Zugriff. Erlauben Sie ihn nur, wenn Sie die Anmeldung dort gerade selbst begonnen haben.',
  consentHow:
    'Ihr Passwort wird nicht weitergegeben. Sie können den Zugriff jederzeit auf Ihrer Kontoseite entziehen.',
  consentAllow: 'Zugriff erlauben',
  consentDeny: 'Ablehnen',
  consentCommand:
    'In Ihrem Namen Benutzer, Anwendungen und Mandanten verwalten, soweit Ihre Rolle es darf, bis zu 8 Stunden lang',
  consentHour: 'Diesen Zugriff eine Stunde lang behalten',

  deviceTitle: 'Auf einem Gerät anmelden',
  deviceText: 'Geben Sie den Code ein, den Ihr Fernseher oder Ihre Kommandozeile zeigt.',
  deviceCode: 'Code',
  deviceButton: 'Weiter',
  deviceWarning:
    'Geben Sie nur den Code eines Geräts ein, das Sie vor sich haben. Hat Ihnen jemand den Code geschickt, brechen Sie ab.',
  deviceUnknown:
    'Kein Gerät hat diesen Code. Prüfen Sie ihn, oder beginnen Sie auf dem Gerät von vorn.',
  deviceExpired: 'Dieser Code ist abgelaufen. Beginnen Sie auf dem Gerät von vorn.',
  deviceUsed: 'Dieser Code wurde schon benutzt. Beginnen Sie auf dem Gerät von vorn.',
  deviceAskTitle: 'Dieses Gerät anmelden?',
  deviceAskText: '{application} möchte auf einem anderen Gerät als {email} angemeldet werden.',
  deviceAskWarning:
    'Fahren Sie nur fort, wenn Sie das selbst begonnen haben, auf einem Gerät, das Sie vor sich haben. Hat Ihnen jemand den Code oder den Link geschickt, kommt er in Ihr Konto.',
  deviceAskCode: 'Ihr Gerät muss diesen Code zeigen:',
  deviceAskFrom: 'Angefragt um {time} UTC von der Adresse {address}.',
  deviceAskFromBrowser: 'Angefragt um {time} UTC mit {device}, von der Adresse {address}.',
  deviceAskNear: 'Das ist das Netz, das Sie gerade benutzen.',
  deviceAskFar: 'Das ist ein anderes Netz als das, das Sie gerade benutzen.',
  deviceAskAccess: 'Wenn Sie es erlauben, kann das Gerät',
  deviceAllow: 'Gerät anmelden',
  deviceDoneTitle: 'Das Gerät ist angemeldet',
  deviceDoneText:
    '{application} macht in ein paar Sekunden von selbst weiter. Sie können diese Seite schließen. Auf Ihrer Kontoseite sehen und beenden Sie alle Zugriffe.',
  deviceDeniedTitle: 'Nichts wurde angemeldet',
  deviceDeniedText:
    'Das Gerät bekommt keinen Zugriff auf Ihr Konto. Sie können diese Seite schließen.',
  deviceStartAgain: 'Geben Sie den Code noch einmal ein, oder beginnen Sie auf dem Gerät von vorn.',
  deviceEnterAgain: 'Code eingeben',

  factorTitle: 'Bestätigen Sie, dass Sie es sind',
  factorName_hardware: 'Passkey oder Sicherheitsschlüssel',
  factorName_totp_app: 'Authenticator-App',
  factorName_totp_email: 'Code per E-Mail',
  factorName_recovery_codes: 'Wiederherstellungscode',
  factorText_hardware:
    'Verwenden Sie einen Passkey oder Sicherheitsschlüssel, den Sie diesem Konto hinzugefügt haben.',
  factorText_totp_app:
    'Geben Sie den Code ein, den Ihre Authenticator-App für dieses Konto anzeigt.',
  factorText_totp_email: 'Wir schicken einen Code an {email}. Er gilt zehn Minuten.',
  factorText_recovery_codes:
    'Geben Sie einen der Wiederherstellungscodes ein, die Sie aufbewahrt haben. Jeder gilt einmal.',
  factorCode_totp_app: 'Code aus 6 Ziffern',
  factorCode_totp_email: 'Code aus 8 Ziffern',
  factorCode_recovery_codes: 'Wiederherstellungscode',
  factorTrust: 'Auf diesem Gerät {duration} lang nicht mehr fragen',
  factorButton: 'Weiter',
  factorKeyButton: 'Schlüssel verwenden',
  factorKeyLost: 'Haben Sie den Schlüssel verloren?',
  factorKeyRemove: 'Entfernen Sie ihn aus Ihrem Konto und melden Sie sich dann neu an',
  factorSend: 'Code schicken',
  factorSendAgain: 'Noch einen Code schicken',
  factorSent: 'Wir haben Ihnen einen Code geschickt. Nur der neueste gilt.',
  factorNotSent:
    'An diese Adresse sind zu viele Nachrichten gegangen. Bitte warten Sie einen Moment.',
  factorOther: 'Einen anderen Weg verwenden:',
  factorWrong: 'Der Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.',
  factorRefused: 'Der Code ist falsch oder wurde schon benutzt.',
  factorExpired: 'Dieser Code ist abgelaufen. Wir haben Ihnen einen neuen geschickt.',
  keyRefused:
    'Dieser Schlüssel wurde nicht angenommen. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  keyNeedsPin:
    'Dieser Sicherheitsschlüssel braucht eine PIN. Legen Sie in seinen Einstellungen eine fest, oder fügen Sie ihn als zweiten Schritt hinzu.',
  keyCancelled:
    'Ihr Browser hat den Schlüssel abgelehnt, oder Sie haben abgebrochen. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.',
  keyNotAdded:
    'Ihr Browser hat den Schlüssel abgelehnt, oder Sie haben abgebrochen. Ein Passkey braucht eine PIN, einen Fingerabdruck oder ein Gesicht; ein Sicherheitsschlüssel ohne das lässt sich als zweiter Schritt hinzufügen.',
  keyKnown: 'Dieser Schlüssel ist schon hinzugefügt.',
  keyNoScript: 'Passkeys und Sicherheitsschlüssel brauchen JavaScript; es ist ausgeschaltet.',
  keyUnknown:
    'Dieser Browser kann keine Passkeys und Sicherheitsschlüssel verwenden. Nehmen Sie einen anderen Browser, oder wählen Sie einen anderen Weg.',
  keyName: 'Name',
  keyNameHint: 'Damit Sie Ihre Schlüssel unterscheiden können, etwa „Arbeitslaptop“.',
  keyPasskey: 'Passkey',
  keySecond: 'Sicherheitsschlüssel',
  keyAdded: 'Hinzugefügt am {day}.',
  keyUsed: 'Zuletzt verwendet am {day}.',
  keyUnused: 'Noch nicht verwendet.',
  keyRename: 'Umbenennen',
  keyRenameWhich: 'Umbenennen: {which}',
  keySave: 'Namen speichern',
  keySaveWhich: 'Namen speichern: {which}',
  factorOver: 'Zu viele falsche Codes. Bitte melden Sie sich neu an.',
  codeOver: 'Zu viele falsche Codes. Lassen Sie sich einen neuen Code senden.',
  factorPaused:
    'Für dieses Konto wurden zu viele falsche Codes eingegeben. Zum Schutz des Kontos ist der zweite Schritt angehalten. Bitte lassen Sie sich helfen.',

  enrolAppTitle: 'Authenticator-App hinzufügen',
  enrolAppText:
    'Scannen Sie das Bild mit einer Authenticator-App auf Ihrem Telefon, und geben Sie dann den Code ein, den die App anzeigt.',
  enrolAppQr: 'QR-Code für die Authenticator-App. Der Schlüssel darunter ist dasselbe als Text.',
  enrolAppSeed:
    'Wenn Sie das Bild nicht scannen können, geben Sie diesen Schlüssel in der App ein:',
  enrolMailTitle: 'Codes per E-Mail hinzufügen',
  enrolMailText:
    'Bei jeder Anmeldung schicken wir einen Code an {email}. Geben Sie den ersten ein, um das einzuschalten.',
  enrolKeyTitle: 'Passkey oder Sicherheitsschlüssel hinzufügen',
  enrolKeyText:
    'Mit einem Passkey melden Sie sich über Fingerabdruck, Gesicht oder die PIN Ihres Geräts an, ohne Passwort.',
  enrolKeyPasskey: 'Passkey hinzufügen',
  enrolKeySecond: 'Sicherheitsschlüssel als zweiten Schritt hinzufügen',
  enrolKeySecondHint: 'Sie verwenden ihn nach dem Passwort. Er braucht keine PIN.',
  enrolRequired:
    'Jeder Operator der Konsole braucht einen zweiten Schritt, damit ein gestohlenes Passwort allein nichts öffnet. Richten Sie einen ein, um fortzufahren.',
  enrolDue:
    'Eine Anmeldung braucht hier einen zweiten Schritt. Fügen Sie einen hinzu, um fortzufahren.',
  enrolLaterText:
    'Ab dem {day} braucht eine Anmeldung hier einen zweiten Schritt. Bis dahin können Sie ihn später hinzufügen.',
  enrolLater: 'Später',
  secondStepImpossible:
    'Eine Anmeldung braucht hier einen zweiten Schritt, und Sie können keinen hinzufügen. Bitte schreiben Sie dem Support.',
  enrolButton: 'Hinzufügen',
  enrolSkip: 'Nicht jetzt',
  recoveryTitle: 'Bewahren Sie diese Codes auf',
  recoveryText:
    'Wenn Ihnen der zweite Schritt verloren geht, lässt jeder dieser Codes Sie einmal hinein. Drucken Sie sie aus, oder legen Sie sie in einem Passwortmanager ab.',
  recoveryOnce:
    'Wir können sie nicht noch einmal anzeigen. Frühere Wiederherstellungscodes gelten nicht mehr.',
  recoveryCopy: 'Codes kopieren',
  recoveryCopied: 'Kopiert.',
  recoverySave: 'Als Datei speichern',
  recoveryButton: 'Ich habe sie aufbewahrt',
  securityTitle: 'Ihre Anmeldemethoden',
  securityText: 'Womit Sie zeigen, dass Sie es sind, für das Konto {email}.',
  securityNone: 'Es ist noch kein Passkey und kein zweiter Schritt eingerichtet.',
  securityOnlyWay: 'Das ist Ihre einzige Anmeldemethode. Fügen Sie zuerst eine andere hinzu.',
  securityAbout_hardware:
    'Fingerabdruck, Gesicht oder die PIN Ihres Geräts statt des Passworts, oder ein Sicherheitsschlüssel danach.',
  securityAbout_totp_app: 'Eine App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code.',
  securityAbout_totp_email: 'Bei jeder Anmeldung schicken wir einen Code an Ihre Adresse.',
  securityAbout_social: 'Melden Sie sich mit Ihrem Konto bei {name} an.',
  securityConnect: 'Verbinden',
  securityConnectWhich: '{name} verbinden',
  securityAdd: 'Hinzufügen',
  securityAddWhich: 'Hinzufügen: {which}',
  securityRemove: 'Entfernen',
  securityRemoveWhich: 'Entfernen: {which}',
  securityCodes: 'Es sind noch {count} Codes übrig.',
  securityCodesScarce: 'Es sind nur noch {count} Codes übrig. Bitte erzeugen Sie neue.',
  securityCodesLast: 'Es ist nur noch ein Code übrig. Bitte erzeugen Sie neue.',
  securityRenew: 'Neue Wiederherstellungscodes erzeugen',
  securityRefused: 'Um diese Seite zu sehen, melden Sie sich mit allen Schritten neu an.',
  securityBack: 'Zurück zu Ihren Wegen zur Anmeldung',

  accountTitle: 'Ihr Konto',
  accountBack: 'Zurück zu Ihrem Konto',
  accountConsole: 'Zurück zur Konsole',
  accountNone: 'Nicht angegeben',
  accountSave: 'Speichern',
  accountProfile: 'Ihre Namen',
  accountSaved: 'Ihre Änderungen sind gespeichert.',
  accountEmailDone: 'Ihre Adresse ist geändert. Wir haben die frühere benachrichtigt.',
  accountPasswordDone: 'Ihr Passwort ist geändert. Sie sind überall sonst abgemeldet.',
  accountPasswordAbout: 'Ein anderes wählen',
  accountSecurityAbout: 'Passkeys, zweite Schritte und Wiederherstellungscodes',
  accountSecurityNone: 'Passkey oder zweiten Schritt hinzufügen',
  accountSessionsAbout: 'Sitzungen auf anderen Geräten beenden',
  accountAccessAbout: 'Programme, die in Ihrem Namen handeln dürfen',
  accountDeletionAbout: 'Mit allem, was hier über Sie bekannt ist',
  profileGiven: 'Vorname',
  profileFamily: 'Nachname',
  changeEmailTitle: 'Adresse ändern',
  changeEmailText:
    'Ihre Adresse ist {email}. An die neue schicken wir einen Code, um zu sehen, dass sie Ihnen gehört.',
  changeEmailSent:
    'Wenn {email} verwendet werden kann, haben wir einen Code dorthin geschickt. Er gilt zehn Minuten.',
  changeEmailNew: 'Neue E-Mail-Adresse',
  changeEmailButton: 'Adresse ändern',
  changeEmailOther: 'Eine andere Adresse verwenden',
  emailSame: 'Das ist schon Ihre Adresse.',
  changePasswordTitle: 'Passwort ändern',
  changePasswordText: 'Mit einem neuen Passwort werden Sie überall sonst abgemeldet.',
  changePasswordCurrent: 'Jetziges Passwort',
  passwordWrong: 'Das jetzige Passwort ist falsch.',
  accessTitle: 'Programme mit Zugriff',
  accessText:
    'Diesen Programmen haben Sie erlaubt, in Ihrem Namen zu handeln. Die Zeiten sind in UTC.',
  accessNone: 'Sie haben keinem Programm erlaubt, in Ihrem Namen zu handeln.',
  accessDevice: 'Ein Programm auf Ihrem Gerät',
  accessName: 'Es nennt sich selbst „{name}“.',
  accessSince: 'Erlaubt am {time}.',
  accessUsed: 'Zuletzt verwendet am {day}.',
  accessWithdraw: 'Zugriff entziehen',
  accessWithdrawWhich: 'Zugriff entziehen: {host}',
  accessDone:
    'Der Zugriff ist entzogen. Ein Programm, das gerade arbeitet, kann noch bis zu fünf Minuten weitermachen.',
  sessionsTitle: 'Wo Sie angemeldet sind',
  sessionsText: 'Die Browser, in denen Sie angemeldet sind. Die Zeiten sind in UTC.',
  sessionsThis: 'Dieser Browser',
  sessionsOn: '{browser} auf {system}',
  sessionsUnknown: 'Unbekannter Browser',
  sessionsSince: 'Seit {time}.',
  sessionsAt: 'Benutzt für {applications}.',
  sessionsEnd: 'Dort abmelden',
  sessionsEndWhich: 'Dort abmelden: seit {time}',
  sessionsEndOthers: 'Überall sonst abmelden',
  sessionsOthersHint: 'Auch nach zweiten Schritten fragen wir auf allen Geräten wieder.',
  sessionsTrusted: 'Vertraute Geräte',
  sessionsTrustedText: 'Auf diesen Geräten fragen wir nicht nach dem zweiten Schritt.',
  sessionsTrustedSince: 'Vertraut seit {time}.',
  sessionsForget: 'Wieder danach fragen',
  sessionsForgetWhich: 'Wieder danach fragen: vertraut seit {time}',
  supportTitle: 'Anmeldungen durch unseren Support',
  accountSupportAbout: 'Wer sich als Sie angemeldet hat und wer darum bittet',
  supportText:
    'Diese Personen aus unserem Support bitten darum, sich in Ihrem Konto anzumelden, oder haben es getan. Sie sehen 15 Minuten lang, was Sie sehen. Ihre Anmeldemethoden können sie nicht ändern. Alle Zeiten sind in UTC.',
  supportNone: 'Unser Support hat nicht darum gebeten, sich in Ihrem Konto anzumelden.',
  supportDone: 'Erledigt.',
  supportReason: 'Der genannte Grund: „{reason}“',
  supportWaiting: 'Gefragt am {asked}. Wartet auf Ihre Antwort.',
  supportReady: 'Gefragt am {asked}. Darf sich innerhalb einer Stunde anmelden.',
  supportBegun: 'Als Sie angemeldet seit {begun}, bis {ended}.',
  supportEnded: 'Als Sie angemeldet am {begun}, bis {ended}.',
  supportDeclined: 'Gefragt am {asked}. Sie haben abgelehnt.',
  supportMissed: 'Gefragt am {asked}. Die Zeit ist abgelaufen.',
  supportOpened: 'Geöffnet: {applications}.',
  supportAgree: 'Diese Person anmelden lassen',
  supportAgreeHint:
    'Stimmen Sie nur zu, wenn Sie um Hilfe gebeten haben. Es gilt einmal: eine Stunde für den Beginn und dann 15 Minuten.',
  supportDecline: 'Ablehnen',
  supportEnd: 'Jetzt beenden',
  impersonateTitle: 'Als Benutzer anmelden',
  impersonateText:
    '{operator}, Sie melden sich gleich für {minutes} Minuten als {email} an. Der Benutzer erfährt es per E-Mail.',
  impersonateHint:
    'Sitzungen in diesem Browser enden. Anmeldemethoden können Sie nicht ändern, und Anwendungen erfahren, dass Sie es sind. Haben Sie das nicht in der Konsole begonnen, schließen Sie die Seite.',
  impersonateButton: 'Als {email} anmelden',
  actingBanner: 'Support: Sie sind als {email} angemeldet, bis {time} UTC.',
  actingEnd: 'Jetzt beenden',
  actingRefusedTitle: 'Das kann nur der Benutzer selbst',
  actingRefusedText:
    'Sie sind als dieser Benutzer angemeldet, um zu helfen. Diese Seite ist nur für den Benutzer selbst.',
  actingBack: 'Zurück zum Konto des Benutzers',
  actingEndedTitle: 'Sie sind abgemeldet',
  actingEndedText:
    'Sie sind nicht mehr als der Benutzer angemeldet, weder hier noch bei den Anwendungen.',
  deletionTitle: 'Konto löschen',
  deletionText:
    'Ihr Konto {email} wird gelöscht, mit allem, was hier über Sie bekannt ist. Das lässt sich nicht rückgängig machen.',
  deletionConfirm: 'Ja, mein Konto endgültig löschen',
  deletionUnconfirmed: 'Setzen Sie das Häkchen, um Ihr Konto zu löschen.',
  deletionButton: 'Konto löschen',
  deletionDoneTitle: 'Ihr Konto ist gelöscht',
  deletionDoneText: 'Sie sind überall abgemeldet.',

  signupTitle: 'Konto anlegen',
  signupIntro: 'Ein Konto für alles bei {company}.',
  signupButton: 'Konto anlegen',
  signupQuestion: 'Haben Sie schon ein Konto?',

  checkMailTitle: 'Sehen Sie in Ihr Postfach',
  checkMailSignup:
    'Wir haben eine Nachricht an {email} geschickt. Folgen Sie dem Link darin, um fortzufahren.',
  checkMailVerify:
    'Bitte bestätigen Sie zuerst, dass {email} Ihre Adresse ist: Folgen Sie dem Link in der Nachricht, die wir Ihnen geschickt haben.',
  checkMailReset:
    'Wenn es ein Konto für {email} gibt, haben wir dorthin eine Nachricht mit einem Link geschickt, über den Sie ein neues Passwort setzen. Der Link gilt eine Stunde.',
  checkMailWaiting: 'Wir warten noch: Der Link in der Nachricht wurde noch nicht geöffnet.',
  checkMailAgain: 'Wir haben eine weitere Nachricht geschickt. Nur der Link in der neuesten gilt.',
  checkMailSpam: 'Nichts angekommen? Sehen Sie auch im Spam-Ordner nach.',
  checkMailContinue: 'Ich bin dem Link gefolgt',
  checkMailResend: 'Noch eine Nachricht schicken',

  undoTitle: 'Holen Sie Ihr Konto zurück',
  undoText:
    'Die Schaltfläche meldet alle von Ihrem Konto ab, entfernt das Passwort und jede Anmeldemethode, die seit der Änderung dazukam, und bringt die Adresse von vorher zurück. Danach schreiben wir an {email}. Wenn Sie mehrere solche Nachrichten haben, nehmen Sie die älteste.',
  undoProof:
    'Die Adresse Ihres Kontos wurde geändert. Geben Sie das Passwort von vorher ein. An die jetzige Adresse des Kontos geht eine Nachricht, und wer sie liest, kann widersprechen.',
  undoPassword: 'Passwort von vor der Änderung',
  undoProofWrong: 'Das ist nicht das Passwort von vor der Änderung.',
  undoTaken:
    'Ein anderes Konto hat jetzt diese Adresse. Wenn es Ihres ist, melden Sie sich dort an, geben Sie ihm eine andere Adresse, und drücken Sie noch einmal auf die Schaltfläche.',
  undoButton: 'Mein Konto zurückholen',
  undoDoneTitle: 'Sie haben Ihr Konto zurück',
  undoDoneText:
    'Alle sind abgemeldet. Wir haben eine Nachricht an {email} geschickt: Folgen Sie dem Link darin und wählen Sie ein neues Passwort.',
  undoDonePlain:
    'Alle sind abgemeldet, und was seit der Änderung dazukam, ist entfernt. Melden Sie sich mit {email} wieder an.',
  contestTitle: 'Widersprechen',
  contestText:
    'Jemand hat das Konto von {email} mit einer früheren Adresse und einem früheren Passwort zurückgeholt. Wenn es Ihres ist, widersprechen Sie: Das Konto wird gesperrt, und niemand kann sich anmelden, bis wir entschieden haben, wem es gehört.',
  contestSupportText:
    'Der Support hat die Adresse des Kontos von {email} geändert. Wenn Sie das nicht gewünscht haben, widersprechen Sie: Das Konto wird gesperrt, und niemand kann sich anmelden, bis eine andere Person im Support entschieden hat, wem es gehört.',
  contestButton: 'Konto sperren',
  contestDoneTitle: 'Das Konto ist gesperrt',
  contestDoneText:
    'Alle sind abgemeldet, und niemand kann sich anmelden. Schreiben Sie uns, woran wir erkennen, dass das Konto Ihres ist.',
  verifyTitle: 'E-Mail-Adresse bestätigen',
  verifyText: 'Ist {email} Ihre Adresse? Bestätigen Sie sie, um Ihr Konto fertig einzurichten.',
  verifyPassword:
    'Sie haben in einem anderen Browser begonnen. Geben Sie das Passwort ein, das Sie dort gewählt haben, oder wählen Sie ein neues.',
  verifyRemovesLogins:
    'Sie haben in einem anderen Browser begonnen. Passkeys und Konten anderswo, die mit diesem Konto verbunden sind, werden entfernt, falls eine andere Person sie verbunden hat. Um sie zu behalten, folgen Sie dem Link in dem Browser, in dem Sie begonnen haben.',
  verifyButton: 'Adresse bestätigen',
  verifiedTitle: 'Ihre Adresse ist bestätigt',
  verifiedText:
    'Machen Sie dort weiter, wo Sie begonnen haben, oder beginnen Sie in der Anwendung neu.',

  resetRequestTitle: 'Neues Passwort setzen',
  resetRequestText:
    'Nennen Sie uns Ihre E-Mail-Adresse, dann schicken wir Ihnen einen Link für ein neues Passwort.',
  resetRequestButton: 'Link schicken',
  resetTitle: 'Neues Passwort wählen',
  resetText: 'Dies wird das neue Passwort für {email}.',
  resetButton: 'Passwort setzen',
  resetDoneTitle: 'Ihr neues Passwort ist gesetzt',
  resetDoneText: 'Sie sind überall sonst abgemeldet. Melden Sie sich mit dem neuen Passwort an.',

  linkInvalidTitle: 'Dieser Link gilt nicht mehr',
  linkInvalidText:
    'Er ist abgelaufen, wurde schon benutzt oder durch eine neuere Nachricht ersetzt. Fordern Sie einen neuen an.',
  linkInvalidAgain: 'Neuen Link anfordern',

  passwordShort: 'Das Passwort hat weniger als {least} Zeichen.',
  passwordLong: 'Das Passwort ist zu lang: höchstens 72 Bytes, das sind 72 einfache Buchstaben.',
  passwordCommon:
    'Dieses Passwort steht auf jeder Liste häufiger Passwörter. Wählen Sie ein anderes.',
  passwordLeaked:
    'Dieses Passwort ist aus einem Datenleck bekannt; Angreifer probieren es aus. Wählen Sie ein anderes, und ändern Sie es überall, wo Sie es benutzen.',
  passwordEmail: 'Das Passwort darf nicht Ihre E-Mail-Adresse sein.',
  passwordName: 'Das Passwort darf nicht aus Ihrem oder unserem Namen bestehen.',
  passwordCharacter: 'Das Passwort enthält ein Zeichen, das nicht verwendet werden kann.',
  emailInvalid: 'Das ist keine E-Mail-Adresse wie ada@example.com.',
  nameLong: 'Der Name ist zu lang: höchstens 200 Zeichen.',
  nameCharacter: 'Der Name enthält ein Zeichen, das nicht verwendet werden kann.',

  tooManyTitle: 'Zu viele Versuche',
  tooManyText:
    'Zum Schutz der Konten warten wir zwischen den Versuchen etwas. Versuchen Sie es in {wait} wieder.',
  tooManyBack: 'Noch einmal versuchen',
  linkNeededText:
    'Zu viele Versuche, sich mit dieser Adresse anzumelden, sind fehlgeschlagen. Melden Sie sich zum Schutz des Kontos auf einem Gerät an, auf dem Sie schon einmal angemeldet waren, oder setzen Sie ein neues Passwort: Wir schicken einen Link an die Adresse.',
  linkNeededWay: 'Neues Passwort setzen',

  expiredTitle: 'Diese Seite ist abgelaufen',
  expiredText: 'Es ist zu viel Zeit vergangen, oder diese Anmeldung ist schon abgeschlossen.',
  cookiesTitle: 'Ihr Browser blockiert Cookies',
  cookiesText:
    'Eine Anmeldung braucht Cookies. Erlauben Sie diese für {host} in den Einstellungen Ihres Browsers, und beginnen Sie dann noch einmal.',
  signedInTitle: 'Sie sind schon angemeldet',
  signedInText: 'Sie sind als {email} angemeldet.',

  logoutTitle: 'Abmelden?',
  logoutText: 'Sie sind als {email} angemeldet. Möchten Sie sich bei {company} abmelden?',
  logoutButton: 'Abmelden',
  logoutStay: 'Angemeldet bleiben',
  loggedOutTitle: 'Sie sind abgemeldet',
  loggedOutText: 'Sie können dieses Fenster schließen.',

  errorTitle: 'Das hat nicht geklappt',
  errorText: 'Die Anwendung hat eine Anfrage geschickt, die nicht beantwortet werden kann.',
  errorRedirect:
    'Die Anwendung möchte die Antwort an einer Adresse bekommen, die für sie nicht eingetragen ist.',
  errorNoRedirect:
    'Für diese Anwendung ist noch keine Rückkehradresse eingetragen; deshalb kann sich niemand bei ihr anmelden.',
  errorClient: 'Die Anwendung ist hier nicht bekannt.',
  errorServer: 'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es gleich noch einmal.',
  errorForm:
    'Dieses Formular gilt nicht mehr. Gehen Sie zurück, laden Sie die Seite neu und wiederholen Sie den Schritt.',
  errorMethod: 'Diese Adresse nimmt keine {method}-Anfragen an.',
  errorDetail: 'Für die Entwickler der Anwendung: {detail}',
  redirectReceived: 'Für Entwickler: Die Anwendung hat diese Rückkehradresse verlangt.',
  redirectRegistered: 'Diese Rückkehradressen sind eingetragen.',
  redirectRegister: 'Wenn die Adresse Ihre ist, trägt dieser Befehl sie ein.',
  clientReceived: 'Für Entwickler: Die Anfrage nennt diese Client-ID.',
  clientList: 'Keine Anwendung dieses Mandanten hat sie. Dieser Befehl zählt auf, welche es gibt.',
  commandNeeds:
    'Er liest die Adresse der API aus LATCHKEY_URL und einen geheimen API-Schlüssel aus LATCHKEY_API_KEY.',
  notFoundTitle: 'Diese Seite gibt es nicht',

  outboxTitle: 'Aufgefangene Nachrichten',
  outboxText:
    'Nachrichten eines Mandanten im Entwicklermodus bleiben hier, statt verschickt zu werden.',
  outboxKey: 'Diese Seite fragt nach einem API-Schlüssel des Mandanten, als Passwort.',
  outboxEmpty: 'Noch keine Nachricht.',
  outboxTo: 'An',

  mailTestSubject: 'Test: {subject}',
  mailGreeting: 'Guten Tag {name},',
  mailGreetingPlain: 'Guten Tag,',
  mailUndoIgnore: 'Wenn Sie das waren, können Sie diese Nachricht ignorieren.',
  mailUndoButton: 'Das war ich nicht',
  mailIgnore: 'Wenn Sie das nicht waren, können Sie diese Nachricht ignorieren.',
  mailLinkFallback:
    'Wenn die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:',
  mailSignature: 'Ihr Team von {company}',
  mailVerifySubject: 'Bestätigen Sie Ihre E-Mail-Adresse für {company}',
  mailVerifyText:
    'bitte bestätigen Sie, dass dies Ihre E-Mail-Adresse ist. Der Link gilt 24 Stunden.',
  mailVerifyButton: 'Adresse bestätigen',
  mailResetSubject: 'Neues Passwort für {company}',
  mailResetText: 'über diesen Link setzen Sie ein neues Passwort. Er gilt eine Stunde.',
  mailResetButton: 'Neues Passwort setzen',
  mailInviteSubject: 'Ihr Konto bei {company}',
  mailInviteText:
    'für Sie wurde ein Konto angelegt. Über diesen Link setzen Sie Ihr Passwort. Er gilt sieben Tage.',
  mailInviteButton: 'Passwort setzen',
  mailExistsSubject: 'Sie haben schon ein Konto bei {company}',
  mailExistsText:
    'jemand, wahrscheinlich Sie, wollte mit dieser Adresse ein Konto anlegen. Es gibt schon eines. Melden Sie sich damit an, oder setzen Sie ein neues Passwort, wenn Sie es vergessen haben. Der Link gilt eine Stunde.',
  mailExistsButton: 'Neues Passwort setzen',
  mailChangedSubject: 'Ihr Passwort für {company} wurde geändert',
  mailChangedText:
    'Ihr Passwort wurde gerade geändert, und Sie sind überall sonst abgemeldet. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailCodeSubject: 'Ihr Code für {company}',
  mailCode: 'Ihr Code: {code}',
  mailCodeText:
    'Er gilt zehn Minuten, für die Anmeldung bei {application}, die Sie gerade begonnen haben. Von uns fragt Sie niemand danach. Wenn Sie keine Anmeldung begonnen haben, kennt jemand Ihr Passwort: Setzen Sie ein neues.',
  mailLoginCodeText:
    'Er gilt zehn Minuten, für die Anmeldung bei {application}, die Sie gerade begonnen haben. Von uns fragt Sie niemand danach. Wenn Sie keine Anmeldung begonnen haben, können Sie diese Nachricht ignorieren.',
  mailCodeSafety:
    'Wir fragen Sie nie nach diesem Code. Wenn Sie keine Anmeldung begonnen haben, kennt eine andere Person Ihr Passwort: Setzen Sie ein neues.',
  mailLoginCodeSafety:
    'Wir fragen Sie nie nach diesem Code. Wenn Sie keine Anmeldung begonnen haben, können Sie diese Nachricht ignorieren.',
  mailFactorsSubject: 'Die Anmeldemethoden bei {company} wurden geändert',
  mailConnectedText:
    'Ihr Konto ist jetzt mit Ihrem Konto bei {name} verbunden: Sie können sich mit beiden anmelden. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailFactorAddedText:
    'Gerade kam zu Ihrem Konto hinzu: {way}. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailFactorRemovedText:
    'Gerade wurde aus Ihrem Konto entfernt: {way}. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailRecoveryUsedText:
    'Bei einer Anmeldung in Ihrem Konto wurde gerade ein Wiederherstellungscode statt des zweiten Schritts benutzt. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailRecoveryRenewedText:
    'Für Ihr Konto gibt es neue Wiederherstellungscodes. Die bisherigen gelten nicht mehr. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailWaySocial: 'Konto bei einem Anbieter',
  mailAddressCodeText:
    'Er gilt zehn Minuten. Geben Sie ihn dort ein, wo Sie ihn angefordert haben, damit dies die Adresse Ihres Kontos bei {application} wird. Niemand von uns fragt danach. Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  mailMovedSubject: 'Die Adresse Ihres Kontos bei {company} wurde geändert',
  mailMovedText:
    'Die Adresse Ihres Kontos ist jetzt {email}. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailDisplacedSubject: 'Ihr Konto bei {company} wurde zurückgeholt',
  mailDisplacedText:
    'Jemand hat Ihr Konto mit einer früheren Adresse und einem früheren Passwort zurückgeholt, und Sie können sich nicht mehr anmelden. Wenn das Konto Ihres ist, widersprechen Sie mit diesem Link. Er sperrt das Konto, bis wir entschieden haben, und gilt sieben Tage.',
  mailContestButton: 'Widersprechen',
  mailContestedSubject: 'Ihr Konto bei {company} ist gesperrt',
  mailContestedText:
    'Sie haben Ihr Konto zurückgeholt, und wer die Adresse liest, die es vorher hatte, widerspricht dem. Niemand kann sich anmelden, bis wir entschieden haben. Schreiben Sie uns, woran wir erkennen, dass das Konto Ihres ist.',
  mailContestedSupportText:
    'Der Support hat diese Adresse in Ihr Konto eingetragen, und wer die Adresse liest, die es vorher hatte, widerspricht dem. Niemand kann sich anmelden, bis eine andere Person im Support entschieden hat. Schreiben Sie uns, woran wir erkennen, dass das Konto Ihres ist.',
  mailMovedBySupportText:
    'Der Support hat die Adresse Ihres Kontos in {email} geändert. Damit melden Sie sich von jetzt an an. Wenn Sie das nicht gewünscht haben, widersprechen Sie mit diesem Link. Er sperrt das Konto, bis eine zweite Person im Support entschieden hat, und gilt sieben Tage.',
  mailMovedBySupportPlain:
    'Der Support hat die Adresse Ihres Kontos in {email} geändert. Damit melden Sie sich von jetzt an an. Wenn Sie das nicht gewünscht haben, schreiben Sie uns.',
  mailHeldSubject: 'Ihre neue Adresse bei {company} muss noch bestätigt werden',
  mailHeldText:
    'Sie haben eine Nachricht angefordert, um sich anzumelden. Der Support hat diese Adresse erst vor weniger als einem Tag in Ihr Konto eingetragen, und eine zweite Person muss das bestätigen. Bitten Sie den Support darum, oder versuchen Sie es einen Tag nach der Änderung noch einmal. Mit Ihrem Passwort können Sie sich anmelden wie bisher.',
  mailDeletedSubject: 'Ihr Konto bei {company} wurde gelöscht',
  mailDeletedText:
    'Ihr Konto wurde gerade gelöscht, wie Sie es wollten. Wenn Sie das nicht waren, melden Sie sich sofort bei uns.',
  mailDeviceSubject: 'Neue Anmeldung bei {company}',
  mailDeviceText:
    'In Ihrem Konto hat sich gerade jemand in einem Browser angemeldet, den wir noch nicht kannten: {device}. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück. Er gilt sieben Tage.',
  mailImpersonationAskedSubject:
    'Der Support von {company} bittet darum, sich in Ihrem Konto anzumelden',
  mailImpersonationAskedText:
    '{operator} vom Support von {company} bittet darum, sich für 15 Minuten in Ihrem Konto anzumelden. Ohne Ihre Zustimmung geschieht nichts. Der Grund steht auf der Seite Ihres Kontos, wo Sie zustimmen oder ablehnen können. Die Anfrage läuft nach einem Tag ab. Haben Sie nicht um Hilfe gebeten, lehnen Sie ab.',
  mailImpersonationButton: 'Ihr Konto öffnen',
  mailImpersonatedSubject: 'Der Support von {company} hat sich in Ihrem Konto angemeldet',
  mailImpersonatedText:
    '{operator} vom Support von {company} hat sich um {time} UTC in Ihrem Konto angemeldet, für höchstens 15 Minuten. Der Grund steht auf der Seite Ihres Kontos, wo Sie es sofort beenden können.',
  mailRoleSubject: 'Ihr Zugang zur Verwaltungskonsole wurde geändert',
  mailRoleText:
    '{by} hat Ihre Rolle von {before} in {role} geändert. Damit sehen Sie {tenants}. Wenn Sie das nicht erwartet haben, fragen Sie bei einem Inhaber der Konsole nach.',
  mailReachText:
    '{by} hat geändert, welche Mandanten Sie in der Verwaltungskonsole sehen: Jetzt sehen Sie {tenants}. Ihre Rolle ist {role} wie bisher. Wenn Sie das nicht erwartet haben, fragen Sie bei einem Inhaber der Konsole nach.',
  mailRoleAllTenants: 'alle Mandanten',
  roleName_owner: 'Inhaber',
  roleName_admin: 'Admin',
  roleName_support: 'Support',
  roleName_viewer: 'Leser',
  mailRoleByCommand: 'Die Befehlszeile des Dienstes',
  mailOperatorInviteSubject: 'Ihre Einladung in die Verwaltungskonsole',
  mailOperatorInviteText:
    '{by} lädt Sie in die Verwaltungskonsole auf {host} ein. Ihre Rolle ist {role}, und Sie sehen {tenants}. Der Link gilt einmal und 24 Stunden lang: Wählen Sie dort Ihr Passwort. Danach richten Sie einen zweiten Schritt ein, nach dem die Konsole bei jeder Anmeldung fragt.',
  mailOperatorInviteTextOfOneStep:
    '{by} lädt Sie in die Verwaltungskonsole auf {host} ein. Ihre Rolle ist {role}, und Sie sehen {tenants}. Der Link gilt einmal und 24 Stunden lang: Wählen Sie dort Ihr Passwort. Einen zweiten Schritt können Sie später einrichten.',
  mailOperatorInviteButton: 'Einladung annehmen',
  mailOperatorJoinedSubject: 'Ihre Einladung wurde angenommen',
  mailOperatorJoinedText:
    'Mit dem Link Ihrer Einladung an {email} wurde gerade ein Passwort gesetzt, mit der Rolle {role}. Wenn Sie das nicht erwartet haben, sperren Sie diesen Operator in der Konsole.',
  mailWebhookSubject: 'Ein Webhook wurde ausgeschaltet',
  mailWebhookGoneText:
    'Der Empfänger unter {host} des Mandanten {tenant} hat geantwortet, dass es ihn nicht mehr gibt (410). Er bekommt keine Ereignisse mehr. Wenn das ein Versehen war, schalten Sie ihn in der Konsole wieder ein: Ereignisse der letzten 30 Tage lassen sich noch einmal senden.',
  mailWebhookFailingText:
    'Der Empfänger unter {host} des Mandanten {tenant} hat seit fünf Tagen nichts angenommen. Er bekommt keine Ereignisse mehr. Sobald er wieder arbeitet, schalten Sie ihn in der Konsole ein: Ereignisse der letzten 30 Tage lassen sich noch einmal senden.',
  mailGuessedSubject: 'Jemand kennt Ihr Passwort bei {company}',
  mailGuessedText:
    'Jemand hat Ihr Passwort eingegeben und danach falsche Codes für den zweiten Schritt. Wenn Sie das nicht waren, holen Sie Ihr Konto mit diesem Link zurück und wählen Sie ein neues Passwort. Er gilt sieben Tage.',
}
