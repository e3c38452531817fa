# A Rails application in one file that is an OpenID provider by Doorkeeper and its OpenID Connect extension.
#
# Its folder holds the database and the signing key; arguments are the port and, as JSON, the application
# and the user.

require 'json'
require 'rails'
require 'active_record/railtie'
require 'action_controller/railtie'
require 'action_view/railtie'
require 'doorkeeper'
require 'doorkeeper/openid_connect'

port = ARGV[0]
APPLICATION = JSON.parse(ARGV[1])
USER = Struct.new(:username, :password, :email, :name, keyword_init: true) do
  alias_method :id, :username
end.new(**JSON.parse(ARGV[2], symbolize_names: true))
ORIGIN = "http://127.0.0.1:#{port}".freeze

ENV['DATABASE_URL'] = 'sqlite3:provider.sqlite3'

class Provider < Rails::Application
  config.load_defaults 6.1
  config.root = Dir.pwd
  config.eager_load = false
  config.secret_key_base = 'the secret of the provider, which is long enough for everybody'
  config.hosts.clear
  config.logger = Logger.new($stdout)
  config.log_level = :warn
  config.active_record.maintain_test_schema = false
  config.consider_all_requests_local = true
end

Doorkeeper.configure do
  orm :active_record
  resource_owner_authenticator do
    session[:user] ? USER : redirect_to("/login?#{{ next: request.fullpath }.to_query}")
  end
  default_scopes :openid
  optional_scopes :profile, :email
  use_refresh_token
  force_ssl_in_redirect_uri false
  access_token_expires_in 600
  grant_flows %w[authorization_code]
  skip_authorization { |_owner, _client| false }
end

Doorkeeper::OpenidConnect.configure do
  issuer ORIGIN
  signing_key File.read('signing.pem')
  subject_types_supported [:public]
  resource_owner_from_access_token { |_token| USER }
  auth_time_from_resource_owner { |_owner| Time.now }
  reauthenticate_resource_owner { |_owner, return_to| redirect_to("/login?#{{ next: return_to }.to_query}") }
  subject { |owner, _application| owner.username }
  protocol { :http }
  claims do
    claim(:email, scope: :email, response: %i[id_token user_info]) { |owner, _scopes, _token| owner.email }
    claim(:name, scope: :profile, response: %i[id_token user_info]) { |owner, _scopes, _token| owner.name }
  end
end

class LoginController < ActionController::Base
  protect_from_forgery except: :revoke_all

  def revoke_all
    Doorkeeper::AccessToken.update_all(revoked_at: Time.now)
    head :no_content
  end

  def show
    render inline: <<~HTML
      <%= form_with url: '/login' do |form| %>
        <%= form.text_field :username %><%= form.password_field :password %>
        <%= form.hidden_field :next, value: params[:next] %><%= form.submit 'Log in' %>
      <% end %>
    HTML
  end

  def create
    known = params[:username] == USER.username && params[:password] == USER.password
    return head(:unauthorized) unless known

    session[:user] = params[:username]
    redirect_to params[:next]
  end

  def ready
    head :no_content
  end
end

# As the extension's documentation says: the consent page of Doorkeeper drops the nonce otherwise.
page = 'app/views/doorkeeper/authorizations/new.html.erb'
hidden = '<%= hidden_field_tag :client_id'
FileUtils.mkdir_p(File.dirname(page))
File.write(
  page,
  File.read("#{Doorkeeper::Engine.root}/#{page}")
      .gsub(hidden, "<%= hidden_field_tag :nonce, params[:nonce] %>#{hidden}")
)

Provider.initialize!

ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define do
  create_table :oauth_applications do |t|
    t.string :name, null: false
    t.string :uid, null: false
    t.string :secret, null: false
    t.text :redirect_uri, null: false
    t.string :scopes, null: false, default: ''
    t.boolean :confidential, null: false, default: true
    t.timestamps null: false
  end
  create_table :oauth_access_grants do |t|
    t.string :resource_owner_id, null: false
    t.references :application, null: false
    t.string :token, null: false
    t.integer :expires_in, null: false
    t.text :redirect_uri, null: false
    t.datetime :created_at, null: false
    t.datetime :revoked_at
    t.string :scopes, null: false, default: ''
    t.string :code_challenge
    t.string :code_challenge_method
  end
  create_table :oauth_access_tokens do |t|
    t.string :resource_owner_id
    t.references :application, null: false
    t.string :token, null: false
    t.string :refresh_token
    t.integer :expires_in
    t.datetime :revoked_at
    t.datetime :created_at, null: false
    t.string :scopes
    t.string :previous_refresh_token, null: false, default: ''
  end
  create_table :oauth_openid_requests do |t|
    t.references :access_grant, null: false
    t.string :nonce, null: false
  end
end

Provider.routes.draw do
  use_doorkeeper { skip_controllers :applications, :authorized_applications }
  use_doorkeeper_openid_connect
  get 'login' => 'login#show'
  post 'login' => 'login#create'
  post 'revoke-all' => 'login#revoke_all'
  root to: 'login#ready'
end

Doorkeeper::Application.create!(
  name: 'The application',
  uid: 'app',
  secret: APPLICATION['secret'],
  redirect_uri: APPLICATION['redirectUri'],
  scopes: 'openid profile email'
)

require 'rack/handler/puma'
Rack::Handler::Puma.run(Provider, Host: '127.0.0.1', Port: port, Silent: true)
