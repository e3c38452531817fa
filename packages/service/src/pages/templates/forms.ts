/** The templates of the pages with a form. */
export const forms = {
  login: `<%~ include('@note', { problem: it.problem && it.t(it.problem), notice: it.notice && it.t(it.notice), info: it.info && it.t(it.info) }) %>
<% if (it.passwordsOff) { %>
<p><%= it.t('loginPasswordsOff') %></p>
<% } else { %>
<form method="post">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<%~ include('@field', { name: 'email', type: 'email', label: it.t('email'), value: it.email, autocomplete: 'username', focus: !it.email, invalid: it.problem, describedBy: it.problem && 'problem' }) %>
<%~ include('@field', { name: 'password', type: 'password', label: it.t('password'), autocomplete: 'current-password', focus: it.email, invalid: it.problem, describedBy: it.problem && 'problem' }) %>
<button type="submit"><%= it.t('loginButton') %></button>
</form>
<% if (it.resetPath) { %><p class="below"><a href="<%= it.resetPath %>"><%= it.t('loginForgot') %></a></p><% } %>
<% } %>
<% if (it.signupPath) { %><p class="below"><%= it.t('loginSignupQuestion') %> <a href="<%= it.signupPath %>"><%= it.t('loginSignup') %></a></p><% } %>`,

  signup: `<% if (it.look.companyName) { %><p class="soft"><%= it.t('signupIntro', { company: it.look.companyName }) %></p><% } %>
<%~ include('@note', { problem: it.problem && it.t(it.problem.text) }) %>
<form method="post">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<%~ include('@field', { name: 'name', type: 'text', label: it.t('name'), optional: it.t('optional'), value: it.name, autocomplete: 'name', focus: !it.problem, invalid: it.problem && it.problem.field === 'name', describedBy: it.problem && it.problem.field === 'name' && 'problem' }) %>
<%~ include('@field', { name: 'email', type: 'email', label: it.t('email'), value: it.email, autocomplete: 'username', focus: it.problem && it.problem.field === 'email', invalid: it.problem && it.problem.field === 'email', describedBy: it.problem && it.problem.field === 'email' && 'problem' }) %>
<%~ include('@field', { name: 'password', type: 'password', label: it.t('password'), hint: it.t('passwordHint'), autocomplete: 'new-password', focus: it.problem && it.problem.field === 'password', invalid: it.problem && it.problem.field === 'password', describedBy: it.problem && it.problem.field === 'password' ? 'problem password-hint' : 'password-hint' }) %>
<button type="submit"><%= it.t('signupButton') %></button>
</form>
<p class="below"><%= it.t('signupQuestion') %> <a href="<%= it.loginPath %>"><%= it.t('loginButton') %></a></p>`,

  checkMail: `<p><%= it.t(it.text, { email: it.email }) %></p>
<p class="soft"><%= it.t('checkMailSpam') %></p>
<%~ include('@note', { notice: it.notice && it.t(it.notice), info: it.info && it.t(it.info) }) %>
<% if (it.csrf) { %>
<form method="post">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<button type="submit" name="step" value="continue"><%= it.t('checkMailContinue') %></button>
<button type="submit" class="quiet" name="step" value="resend"><%= it.t('checkMailResend') %></button>
</form>
<% } %>
<%~ include('@wayOn', it) %>
<% if (it.loginPath) { %><p class="below"><a href="<%= it.loginPath %>"><%= it.t('backToLogin') %></a></p><% } %>`,

  verify: `<p><%= it.t('verifyText', { email: it.email }) %></p>
<form method="post" action="/verify">
<input type="hidden" name="token" value="<%= it.token %>">
<input type="hidden" name="application" value="<%= it.application %>">
<input type="hidden" name="ui_locales" value="<%= it.look.language %>">
<button type="submit"><%= it.t('verifyButton') %></button>
</form>`,

  resetRequest: `<p class="soft"><%= it.t('resetRequestText') %></p>
<%~ include('@note', { problem: it.problem && it.t(it.problem) }) %>
<form method="post">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<%~ include('@field', { name: 'email', type: 'email', label: it.t('email'), value: it.email, autocomplete: 'username', focus: true, invalid: it.problem, describedBy: it.problem && 'problem' }) %>
<button type="submit"><%= it.t('resetRequestButton') %></button>
</form>
<% if (it.loginPath) { %><p class="below"><a href="<%= it.loginPath %>"><%= it.t('backToLogin') %></a></p><% } %>`,

  reset: `<p class="soft"><%= it.t('resetText', { email: it.email }) %></p>
<%~ include('@note', { problem: it.problem && it.t(it.problem) }) %>
<form method="post" action="/reset">
<input type="hidden" name="token" value="<%= it.token %>">
<input type="hidden" name="application" value="<%= it.application %>">
<input type="hidden" name="ui_locales" value="<%= it.look.language %>">
<input type="text" name="username" value="<%= it.email %>" autocomplete="username" hidden>
<%~ include('@field', { name: 'password', type: 'password', label: it.t('newPassword'), hint: it.t('passwordHint'), autocomplete: 'new-password', focus: true, invalid: it.problem, describedBy: it.problem ? 'problem password-hint' : 'password-hint' }) %>
<button type="submit"><%= it.t('resetButton') %></button>
</form>`,

  confirmLogout: `<p><%= it.t('logoutText', { email: it.email, company: it.company }) %></p>
<form method="post" action="<%= it.action %>">
<input type="hidden" name="xsrf" value="<%= it.xsrf %>">
<button type="submit" name="logout" value="yes"><%= it.t('logoutButton') %></button>
<button type="submit" class="quiet"><%= it.t('logoutStay') %></button>
</form>`,
}
