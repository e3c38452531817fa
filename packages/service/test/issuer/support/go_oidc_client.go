// An application with go-oidc: prints where it sends its visitor, reads the callback, prints the user.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

type readAnswer func(address string) url.Values

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// #region go-oidc
func login(ctx context.Context, issuer, clientID, clientSecret, callback string, read readAnswer) (*oidc.IDToken, error) {
	provider, err := oidc.NewProvider(ctx, issuer)
	if err != nil {
		return nil, err
	}
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  callback,
		Scopes:       []string{oidc.ScopeOpenID, "email", "profile"},
	}
	state, nonce, verifier := random(), random(), random()
	hash := sha256.Sum256([]byte(verifier))
	answer := read(config.AuthCodeURL(state, oidc.Nonce(nonce),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256")))
	if answer.Get("state") != state {
		return nil, errors.New("another login was answered")
	}
	token, err := config.Exchange(ctx, answer.Get("code"), oauth2.SetAuthURLParam("code_verifier", verifier))
	if err != nil {
		return nil, err
	}
	signed, _ := token.Extra("id_token").(string)
	user, err := provider.Verifier(&oidc.Config{ClientID: clientID}).Verify(ctx, signed)
	if err == nil && user.Nonce != nonce {
		err = errors.New("the ID token is for another login")
	}
	return user, err
}

// #endregion

func main() {
	input := bufio.NewScanner(os.Stdin)
	ask := func(address string) url.Values {
		fmt.Println(address)
		input.Scan()
		answer, err := url.Parse(input.Text())
		if err != nil {
			log.Fatal(err)
		}
		return answer.Query()
	}
	user, err := login(context.Background(), os.Args[1], os.Args[2], os.Args[3], os.Args[4], ask)
	if err != nil {
		log.Fatal(err)
	}
	var claims map[string]interface{}
	if err := user.Claims(&claims); err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(claims)
}
