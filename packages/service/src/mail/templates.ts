import { Eta } from 'eta'

/** What a message says, in its reader's language. */
export interface MailContent {
  language: string
  subject: string
  brand: string
  /** The background of the button. White can be read on it. */
  color: string
  greeting: string
  text: string
  button: string | undefined
  link: string | undefined
  linkFallback: string
  ignore: string
  support: string
  signature: string
}

const eta = new Eta({ autoEscape: true })

// Mail programs know few styles and no style sheets.
eta.loadTemplate(
  '@mail',
  `<!doctype html>
<html lang="<%= it.language %>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><%= it.subject %></title>
</head>
<body style="margin:0;padding:24px 12px;font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.55">
<table role="presentation" align="center" width="100%" style="max-width:520px;margin:0 auto;border-collapse:collapse">
<tr><td style="padding:0 8px 20px;font-weight:bold;font-size:18px"><%= it.brand %></td></tr>
<tr><td style="padding:0 8px">
<p><%= it.greeting %></p>
<p><%= it.text %></p>
<% if (it.link && it.button) { %>
<p style="padding:8px 0"><a href="<%= it.link %>" style="display:inline-block;padding:13px 24px;border-radius:10px;background:<%= it.color %>;color:#ffffff;text-decoration:none;font-weight:bold"><%= it.button %></a></p>
<p style="font-size:14px"><%= it.linkFallback %><br><a href="<%= it.link %>" style="word-break:break-all"><%= it.link %></a></p>
<% } %>
<% if (it.ignore) { %><p style="font-size:14px"><%= it.ignore %></p><% } %>
<% if (it.support) { %><p style="font-size:14px"><%= it.support %></p><% } %>
<p><%= it.signature %></p>
</td></tr>
</table>
</body>
</html>
`,
)

/** The two forms of a message. */
export const mailTemplates = {
  html: (content: MailContent): string => eta.render('@mail', content),

  plain: (content: MailContent): string =>
    [
      content.greeting,
      content.text,
      content.link && content.button ? `${content.button}:\n${content.link}` : '',
      content.ignore,
      content.support,
      content.signature,
    ]
      .filter((paragraph) => paragraph !== '')
      .join('\n\n'),
}
