# eval("x") in a comment
require 'json'
require_relative 'lib/thing'
require variable

module Space
  class Shown < Thor
    desc "serve DIR", "Serves a folder"
    def serve(dir)
      if dir
        dir.each { |d| puts d unless d }
      elsif x
      end
    end

    def self.build; end

    private

    def hidden; end
  end
end

private def top_hidden; end
def top; end

Rails.application.routes.draw do
  get '/users', to: 'users#index'
  post 'login' => 'sessions#create'
  resources :posts, :comments, only: [:index]
  root 'home#index'
end

get '/sinatra' do
  'hi'
end
get '/test/request'
cache.get('/x') { 1 }
desc "a rake task"

def risky(x)
  eval(x)
  object.instance_eval(&block)
  object.instance_eval(x)
  `ls #{x}`
  system("secret")
  system(x)
  Marshal.load(x)
  x.html_safe
  Digest::MD5.hexdigest(x)
  "SELECT * FROM t WHERE a = #{x}"
  "SELECT * FROM t WHERE a = " + x
  http.verify_mode = OpenSSL::SSL::VERIFY_NONE
end
